"""Speed and memory, side by side with the tools that people use today."""
