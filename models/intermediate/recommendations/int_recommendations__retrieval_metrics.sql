with queries as (
    select
        *,
        md5(query_text) as query_version,
    from {{ ref('retrieval_queries') }}
),

documents as (
    select * from {{ ref('dim_clinical_document') }}
),

judgments as (
    select
        judgments.*,
        documents.source_type,
    from {{ ref('retrieval_judgments') }} as judgments
    inner join documents on judgments.document = documents.document
),

judgment_versions as (
    select
        query_id,
        md5(string_agg(document || relevance, ',' order by document)) as judgment_version,
    from judgments
    group by all
),

retrieved as (
    select
        retrieved.query_id,
        retrieved.document_rank,
        documents.source_type,
        -- the author judged the whole corpus: a document without a judgement is irrelevant
        coalesce(judgments.relevance, 0) as relevance,
    from {{ ref('int_recommendations__retrieved_documents') }} as retrieved
    inner join documents on retrieved.document = documents.document
    left join judgments
        on retrieved.query_id = judgments.query_id and retrieved.document = judgments.document
),

gains as (
    select
        query_id,
        sum({{ discounted_gain("relevance", "document_rank") }}) as gain,
        count(*) filter ({{ is_relevant("relevance") }} and document_rank <= 5) as n_relevant_5,
        count(*) filter ({{ is_relevant("relevance") }} and document_rank <= 10) as n_relevant_10,
        count(*) filter ({{ is_relevant("relevance") }} and source_type = 'guideline')
            as n_guidelines,
    from retrieved
    where document_rank <= 20
    group by all
),

ideal_ranks as (
    select
        query_id,
        relevance,
        row_number() over (
            partition by query_id order by relevance desc, document asc
        ) as ideal_rank,
    from judgments
),

ideals as (
    select
        query_id,
        sum({{ discounted_gain("relevance", "ideal_rank") }}) as ideal_gain,
    from ideal_ranks
    where ideal_rank <= 20
    group by all
),

-- divided by five and ten even where fewer came back: what is not retrieved is not precise
scored as (
    select
        queries.*,
        md5(queries.query_version || judgment_versions.judgment_version) as case_version,
        coalesce(gains.n_relevant_5, 0) / 5 as precision_at_5,
        coalesce(gains.n_relevant_10, 0) / 10 as precision_at_10,
        {{ measured("coalesce(gains.gain, 0) / ideals.ideal_gain") }} as ndcg_at_20,
        coalesce(gains.n_guidelines, 0) > 0 as has_guideline,
    from queries
    inner join judgment_versions on queries.query_id = judgment_versions.query_id
    inner join ideals on queries.query_id = ideals.query_id
    left join gains on queries.query_id = gains.query_id
),

relevant_by_source as (
    select
        query_id,
        source_type,
        count(*) as n_relevant,
    from judgments
    where {{ is_relevant("relevance") }}
    group by all
),

retrieved_by_source as (
    select
        query_id,
        source_type,
        count(*) as n_retrieved,
    from retrieved
    where {{ is_relevant("relevance") }} and document_rank <= 20
    group by all
),

-- image reports, with their vectors
vectors as (
    select
        documents.document,
        documents.image_label,
        vectors.vector,
    from documents
    inner join {{ ref('int_recommendations__document_vectors') }} as vectors
        on documents.document = vectors.document
    where documents.image_label is not null
),

-- each pair counts both ways, once from either report
pairs as (
    select
        vectors.image_label,
        vectors.image_label = others.image_label as is_same_class,
        list_cosine_similarity(vectors.vector, others.vector) as similarity,
    from vectors
    inner join vectors as others on vectors.document != others.document
),

classes as (
    select
        image_label,
        min(condition) as condition,
        -- a class with another text is another case: the gate does not compare it with the old one
        md5(string_agg(document_text, '|' order by document)) as case_version,
    from documents
    where image_label is not null
    group by all
),

separations as (
    select
        image_label,
        avg(similarity) filter (is_same_class) as similarity_within,
        avg(similarity) filter (not is_same_class) as similarity_between,
    from pairs
    group by all
),

final as (
    select
        query_id as measured_id,
        condition,
        case_version,
        unnest(['precision_at_5', 'precision_at_10', 'ndcg_at_20']) as metric_name,
        unnest([precision_at_5, precision_at_10, ndcg_at_20]) as value,
    from scored
    union all
    select
        query_id as measured_id,
        condition,
        case_version,
        'guideline_surfaced' as metric_name,
        has_guideline::double as value,
    from scored
    -- only where a guideline is what the question asks for
    where is_treatment
    union all
    select
        scored.query_id as measured_id,
        scored.condition,
        scored.case_version,
        'recall_at_20_' || relevant.source_type as metric_name,
        coalesce(retrieved.n_retrieved, 0) / relevant.n_relevant as value,
    from relevant_by_source as relevant
    inner join scored on relevant.query_id = scored.query_id
    left join retrieved_by_source as retrieved
        on
            relevant.query_id = retrieved.query_id
            and relevant.source_type = retrieved.source_type
    union all
    select
        separations.image_label as measured_id,
        classes.condition,
        classes.case_version,
        'cluster_separation' as metric_name,
        separations.similarity_within - separations.similarity_between as value,
    from separations
    inner join classes on separations.image_label = classes.image_label
)

select * from final
