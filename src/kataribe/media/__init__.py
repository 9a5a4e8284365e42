"""What a file shows and sounds like: frames, shots, faces, burnt-in subtitles, speech. Nothing here knows a task."""
