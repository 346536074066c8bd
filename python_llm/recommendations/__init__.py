"""Decision support for cardiopulmonary patients, and what is checked of it."""
