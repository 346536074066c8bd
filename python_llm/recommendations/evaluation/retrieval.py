"""Retrieval of documents: BM25 and vector scores, combined with the weights of a configuration.

BM25 is bm25s (Robertson's formula, k1 1.5, b 0.75) on Snowball stems. Vectors are latent semantic
analysis: TF-IDF of the same stems, reduced by a truncated SVD of the corpus (Deerwester et al.
1990). Nothing is downloaded, and the same corpus gives the same vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from logging import WARNING, getLogger

import bm25s
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from snowballstemmer import stemmer

from python_llm.errors import UserError
from python_llm.recommendations.wording.phrases import words

# it logs every index it builds
getLogger("bm25s").setLevel(WARNING)

Row = Mapping[str, str]
DIMENSIONS = 64
# Scores are compared at six decimals, so that the order does not depend on rounding in a processor.
DECIMALS = 6
_STOP = frozenset(
    (
        *("a", "an", "the", "and", "or", "of", "to", "in", "is"),
        *("are", "was", "were", "be", "been", "with", "without", "for", "on"),
        *("at", "by", "from", "as", "it", "its", "not", "no", "than"),
        *("that", "this", "these", "those", "who", "which", "where", "when", "while"),
        *("after", "before", "into", "within", "such"),
    )
)


def _boosts(written: str | None) -> dict[tuple[str, str], float]:
    """Factors by (kind, name), as the seed writes them: `kind:name=factor`, several with commas."""
    factors = {}
    for part in filter(None, map(str.strip, (written or "").split(","))):
        key, _, factor = part.rpartition("=")
        kind, _, name = key.partition(":")
        factors[kind, name] = float(factor)
    return factors


@dataclass(frozen=True)
class Configuration:
    """Weights of the lexical and vector scores, and factors by (kind, name), where kind is
    source_type or condition. top_k: how many documents a query retrieves."""

    name: str
    lexical_weight: float
    vector_weight: float
    top_k: int
    boosts: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, configurations: Sequence[Row]) -> Configuration:
        """The configuration of that name. Raises UserError, which lists the known names."""
        for row in configurations:
            if row["configuration"] == name:
                return cls(
                    name,
                    float(row["lexical_weight"]),
                    float(row["vector_weight"]),
                    int(row["top_k"]),
                    _boosts(row["boosts"]),
                )
        known = ", ".join(sorted(row["configuration"] for row in configurations))
        raise UserError(
            f"The retrieval configuration {name!r} is not in "
            f"seeds/recommendations/retrieval_configurations.csv: use one of {known}, or add it."
        )


@dataclass(frozen=True)
class Hit:
    """A retrieved document with its rank, from 1, and its score."""

    document: str
    rank: int
    score: float


class Index:
    """The search index of the corpus; built once, then only read."""

    def __init__(self, documents: Mapping[str, Row]) -> None:
        self._stemmer = stemmer("english")
        self.keys = sorted(documents)
        rows = [documents[key] for key in self.keys]
        self._source_types = [row["source_type"] for row in rows]
        self._conditions = [row["condition"] for row in rows]
        texts = [self._stems(f"{row['title']}. {row['document_text']}") for row in rows]
        self._bm25 = bm25s.BM25(k1=1.5, b=0.75, method="robertson")
        self._bm25.index(texts, show_progress=False)
        self._tfidf = TfidfVectorizer(analyzer=list, sublinear_tf=True)
        matrix = self._tfidf.fit_transform(texts)
        size = min(DIMENSIONS, min(matrix.shape) - 1)
        self._svd = TruncatedSVD(n_components=size, n_iter=10, random_state=29)
        self.vectors = _normed(self._svd.fit_transform(matrix))

    def _stems(self, text: str) -> list[str]:
        return [
            self._stemmer.stemWord(word)
            for word in words(text)
            if word != "," and word not in _STOP
        ]

    def search(self, queries: Sequence[str], configuration: Configuration) -> list[list[Hit]]:
        """The best `top_k` documents of each query, best first; ties are broken by name.

        Lexical scores are divided by the query's best one; a vector score is the cosine, or 0 if
        that is negative.
        """
        stems = [self._stems(query) for query in queries]
        boost = np.array(
            [
                configuration.boosts.get(("source_type", source), 1.0)
                * configuration.boosts.get(("condition", condition), 1.0)
                for source, condition in zip(self._source_types, self._conditions, strict=True)
            ]
        )
        lexical = np.vstack([self._lexical(query) for query in stems])
        vector = _normed(self._svd.transform(self._tfidf.transform(stems))) @ self.vectors.T
        fused = boost * (
            configuration.lexical_weight * lexical
            + configuration.vector_weight * np.clip(vector, 0, None)
        )
        fused = np.round(fused, DECIMALS)
        best = np.argsort(-fused, axis=1, kind="stable")[:, : configuration.top_k]
        return [
            [
                Hit(self.keys[position], rank, float(scores[position]))
                for rank, position in enumerate(order, 1)
                if scores[position] > 0
            ]
            for order, scores in zip(best, fused, strict=True)
        ]

    def _lexical(self, stems: list[str]) -> np.ndarray:
        known = [stem for stem in stems if stem in self._bm25.vocab_dict]
        if not known:
            return np.zeros(len(self.keys))
        scores = np.asarray(self._bm25.get_scores(known), dtype=float)
        return scores / scores.max() if scores.max() > 0 else scores


def _normed(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
