"""What the job knows of dbt itself: its events, tables, macros and failures."""
