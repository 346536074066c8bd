-- Search by words, nothing more: the text of the case is the query, a description of each disease
-- a document. A rare disease is described by the names of its annotated findings, a common one by
-- a sentence of this project.
with cells as (
    select distinct case_id
    from {{ ref('int_experiments__expected_cells') }}
    where ranker = 'int_experiments__lexical_ranking'
),

-- most cases meet most diseases: numbers in place of ids halve what that takes
cases as (
    select
        cases.case_id,
        row_number() over ()::integer as case_number,
        cases.narrative,
    from {{ ref('dim_case') }} as cases
    semi join cells on cases.case_id = cells.case_id
),

descriptions as (
    select
        'annotated' as collection,
        annotations.disease_id,
        any_value(diseases.disease_name) as diagnosis,
        string_agg(terms.hpo_name, ' ') as description,
    from {{ ref('bridge_disease_phenotype') }} as annotations
    inner join {{ ref('dim_hpo_term') }} as terms on annotations.hpo_id = terms.hpo_id
    inner join {{ ref('dim_disease') }} as diseases
        on annotations.disease_id = diseases.disease_id
    where not annotations.is_excluded
    group by all
    union all
    select
        'written' as collection,
        codes.code as disease_id,
        codes.title as diagnosis,
        written.description,
    from {{ ref('disease_descriptions') }} as written
    inner join {{ ref('dim_icd10_code') }} as codes on written.icd10_code = codes.code
),

documents as (
    select
        collection,
        disease_id,
        row_number() over (order by disease_id)::integer as disease_number,
        diagnosis,
        {{ stems("description") }} as stems,
        len(stems) as n_stems,
    from descriptions
),

corpus as (
    select
        count(*) as n_documents,
        avg(n_stems) as mean_stems,
    from documents
),

collections as (
    select
        collection,
        count(*) as n_documents,
    from documents
    group by collection
),

queries as (
    select distinct
        case_number,
        unnest({{ stems("narrative") }}) as stem,
    from cases
),

words as (
    select
        collection,
        disease_number,
        n_stems,
        unnest(stems) as stem,
    from documents
),

postings as (
    select
        *,
        count(*) as n_times,
    from words
    group by all
),

asked_stems as (
    select
        collection,
        stem,
        count(*) as n_with_stem,
    from postings
    semi join queries using (stem)
    group by all
),

-- a stem of more than a fifth of either kind of description says little and costs most of the join;
-- the two kinds are in two languages, each with its little words
telling_stems as (
    select
        asked_stems.stem,
        sum(asked_stems.n_with_stem) as n_with_stem,
    from asked_stems
    inner join collections using (collection)
    group by all
    having
        max(asked_stems.n_with_stem / collections.n_documents)
        <= {{ parameter('lexical_common_stem') }}
),

weights as (
    select
        postings.disease_number,
        postings.stem,
        {{ bm25(
            "postings.n_times", "postings.n_stems", "corpus.mean_stems", "telling_stems.n_with_stem",
            "corpus.n_documents"
        ) }} as weight,
    from postings
    inner join telling_stems on postings.stem = telling_stems.stem
    cross join corpus
),

scores as (
    select
        queries.case_number,
        weights.disease_number,
        round(sum(weights.weight), 9) as score,
        count(*) as n_shared,
    from queries
    inner join weights on queries.stem = weights.stem
    group by all
),

ranked as (
    select
        *,
        row_number() over (
            partition by case_number
            order by score desc, disease_number asc
        ) as diagnosis_rank,
    from scores
    qualify diagnosis_rank <= {{ max_judged_rank() }}
),

shared as (
    select
        ranked.case_number,
        ranked.disease_number,
        string_agg(weights.stem, ', ' order by weights.weight desc, weights.stem asc) as stems,
    from ranked
    inner join weights on ranked.disease_number = weights.disease_number
    semi join queries on ranked.case_number = queries.case_number and weights.stem = queries.stem
    group by all
),

final as (
    select
        cases.case_id,
        ranked.diagnosis_rank,
        documents.disease_id,
        documents.diagnosis,
        ranked.n_shared || ' words of the case are in its description; BM25 '
        || format('{:.1f}', ranked.score) as reasoning,
        'Beginnings of words in common: ' || shared.stems as in_favour,
        ranked.score,
    from ranked
    inner join cases on ranked.case_number = cases.case_number
    inner join documents on ranked.disease_number = documents.disease_number
    inner join shared
        on
            ranked.case_number = shared.case_number
            and ranked.disease_number = shared.disease_number
)

select * from final
