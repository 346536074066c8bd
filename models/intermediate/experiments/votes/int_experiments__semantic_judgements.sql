{{ judge_labels(task="semantic", label_column="semantic_relation", no_label="unlabelled") }}
