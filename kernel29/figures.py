"""Pictures of a leaderboard. Each takes its rows by one judge and returns a plotly figure."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go

ACCURACY = {f"top{depth}_strict": f"top-{depth}" for depth in (1, 3, 5, 10)}
NOT_ADVICE = "It measures diagnostic systems on test cases. It is not medical advice."


def accuracy(board: pd.DataFrame) -> go.Figure:
    """Top-1, top-3, top-5 and top-10 in per cent with their 95 % intervals, the best first."""
    ordered = board.sort_values("top5_strict", na_position="first")
    figure = go.Figure()
    for metric, name in ACCURACY.items():
        values = 100 * ordered[metric]
        figure.add_scatter(
            x=values,
            y=ordered["configuration_id"],
            error_x=_interval(ordered, metric, 100),
            mode="markers",
            name=name,
        )
    return _titled(figure, "the gold diagnosis among the first k, %", None)


def plane(board: pd.DataFrame) -> go.Figure:
    """Semantic against severity score, from -1 to 1, with their 95 % intervals."""
    figure = go.Figure()
    for _, row in board.iterrows():
        single = row.to_frame().T
        figure.add_scatter(
            x=single["semantic_aggregate"],
            y=single["severity_aggregate"],
            error_x=_interval(single, "semantic_aggregate"),
            error_y=_interval(single, "severity_aggregate"),
            mode="markers",
            name=row["configuration_id"],
        )
    figure.update_xaxes(range=[-1.05, 1.05])
    figure.update_yaxes(range=[-1.05, 1.05])
    return _titled(figure, "semantic score", "severity score")


def cost(board: pd.DataFrame) -> go.Figure:
    """Dollars for all answers against top-5 accuracy in per cent."""
    figure = go.Figure()
    figure.add_scatter(
        x=board["generation_usd"],
        y=100 * board["top5_strict"],
        error_y=_interval(board, "top5_strict", 100),
        mode="markers+text",
        text=board["configuration_id"],
        textposition="top center",
    )
    return _titled(figure, "US dollars for all answers", "gold diagnosis among the first five, %")


FIGURES: dict[str, Callable[[pd.DataFrame], go.Figure]] = {
    "accuracy": accuracy,
    "plane": plane,
    "cost": cost,
}


def _interval(board: pd.DataFrame, metric: str, factor: float = 1) -> dict[str, object]:
    return {
        "type": "data",
        "array": factor * (board[f"{metric}_high"] - board[metric]),
        "arrayminus": factor * (board[metric] - board[f"{metric}_low"]),
    }


def _titled(figure: go.Figure, x: str, y: str | None) -> go.Figure:
    figure.update_layout(
        xaxis_title=x,
        yaxis_title=y,
        template="plotly_white",
        annotations=[
            {
                "text": NOT_ADVICE,
                "showarrow": False,
                "xref": "paper",
                "yref": "paper",
                "x": 0,
                "y": 1.08,
            }
        ],
    )
    return figure
