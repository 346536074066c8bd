{{ judge_votes(
    task="severity",
    registry="severity_levels",
    label_column="severity",
    position="severity_value",
) }}
