"""What a file shows and sounds like: frames, pictures, shots, faces, burnt-in subtitles, speech. Nothing knows a task."""
