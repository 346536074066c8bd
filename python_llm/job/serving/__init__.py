"""What readers get: the public marts, without what they may not see, here and for Spark."""
