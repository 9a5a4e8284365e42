"""What a file shows: video decoded frame by frame, pictures, shots. Nothing here knows a task."""
