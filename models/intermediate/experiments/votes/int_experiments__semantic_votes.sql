{{ judge_votes(
    task="semantic",
    registry="semantic_relations",
    label_column="semantic_relation",
    position="distance",
) }}
