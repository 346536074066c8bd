with classes as (
    select
        name,
        concept_id as mondo_id,
    from {{ ref('int_experiments__name_concepts') }}
    where vocabulary = 'mondo'
),

-- for every reading, because it is not yet known which one decides
diagnosed as (
    select
        readings.reading_key,
        classes.mondo_id,
    from {{ ref('int_experiments__diagnosis_readings') }} as readings
    inner join classes on readings.reading = classes.name
),

golds as (
    select
        gold_names.gold_key,
        classes.mondo_id,
    from {{ ref('int_experiments__gold_names') }} as gold_names
    inner join classes on gold_names.gold_name = classes.name
    where not gold_names.is_short_form
),

-- the same two classes occur in many cases: compare them once
pairs as (
    select distinct
        diagnosed.mondo_id,
        golds.mondo_id as gold_mondo_id,
    from {{ ref('int_experiments__judged_pairs') }} as judged
    inner join diagnosed on judged.reading_key = diagnosed.reading_key
    inner join golds on judged.gold_key = golds.gold_key
),

-- a class that holds one disease in ten is a medical specialty, and everything in it shares it
telling_classes as (
    select
        mondo_id,
        class_name,
        information_content,
    from {{ ref('dim_disease_class') }}
    where information_content >= {{ parameter('field_information_content') }}
),

memberships as (
    select
        ancestors.mondo_id,
        classes.mondo_id as class_id,
        classes.class_name,
        classes.information_content,
    from {{ ref('bridge_disease_class_ancestor') }} as ancestors
    inner join telling_classes as classes on ancestors.ancestor_mondo_id = classes.mondo_id
),

final as (
    select
        pairs.mondo_id,
        pairs.gold_mondo_id,
        theirs.class_id,
        theirs.class_name,
        theirs.information_content,
    from pairs
    inner join memberships as theirs on pairs.mondo_id = theirs.mondo_id
    -- no inner join: of three a planner may begin with that of the classes, a hundred million rows
    semi join memberships as golds
        on pairs.gold_mondo_id = golds.mondo_id and theirs.class_id = golds.class_id
    qualify
        row_number() over (
            partition by pairs.mondo_id, pairs.gold_mondo_id
            order by
                theirs.information_content desc,
                theirs.class_id = pairs.gold_mondo_id desc,
                theirs.class_id = pairs.mondo_id desc,
                theirs.class_id
        ) = 1
)

select * from final
