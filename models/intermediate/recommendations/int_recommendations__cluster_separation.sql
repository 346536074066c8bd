with documents as (
    select * from {{ ref('dim_clinical_document') }}
    where image_label is not null
),

vectors as (
    select
        documents.document,
        documents.image_label,
        vectors.vector,
    from documents
    inner join {{ ref('int_recommendations__document_vectors') }} as vectors
        on documents.document = vectors.document
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
        separations.*,
        classes.condition,
        classes.case_version,
        separations.similarity_within - separations.similarity_between as separation,
    from separations
    inner join classes on separations.image_label = classes.image_label
)

select * from final
