"""What is told of a patient: values, units, ages, whose it is, and conditions over it."""
