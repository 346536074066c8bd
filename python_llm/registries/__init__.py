"""What is registered in the seeds: names, and the labels people write in their own way."""
