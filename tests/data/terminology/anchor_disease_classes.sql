{{ config(severity='warn', meta={'holds_of': 'data'}) }}

with expected (mondo_id, ancestor_mondo_id, is_ancestor) as (
    values
    -- Wilson disease: disorder of copper metabolism
    ('MONDO:0010200', 'MONDO:0017762', true),
    -- phenylketonuria: inborn errors of metabolism
    ('MONDO:0009861', 'MONDO:0019052', true),
    -- myocardial infarction is not an infection
    ('MONDO:0005068', 'MONDO:0005550', false),
    -- supravalvular stenosis is not a stenosis of the aortic valve
    ('MONDO:0008504', 'MONDO:0042981', false)
),

wrong_chains as (
    select
        expected.mondo_id,
        'ancestor ' || expected.ancestor_mondo_id || if(expected.is_ancestor, ' missing', ' found')
            as problem,
    from expected
    left join {{ ref('bridge_disease_class_ancestor') }} as found
        on
            expected.mondo_id = found.mondo_id
            and expected.ancestor_mondo_id = found.ancestor_mondo_id
    where expected.is_ancestor != (found.mondo_id is not null)
),

-- information content grows on the way down
upside_down as (
    select
        ancestors.mondo_id,
        'says less than its ancestor ' || ancestors.ancestor_mondo_id as problem,
    from {{ ref('bridge_disease_class_ancestor') }} as ancestors
    inner join {{ ref('dim_disease_class') }} as below on ancestors.mondo_id = below.mondo_id
    inner join {{ ref('dim_disease_class') }} as above
        on ancestors.ancestor_mondo_id = above.mondo_id
    where below.information_content < above.information_content
),

cycles as (
    select
        up.mondo_id,
        'ancestor of its ancestor ' || up.ancestor_mondo_id as problem,
    from {{ ref('bridge_disease_class_ancestor') }} as up
    inner join {{ ref('bridge_disease_class_ancestor') }} as down
        on up.mondo_id = down.ancestor_mondo_id and up.ancestor_mondo_id = down.mondo_id
    where up.mondo_id != up.ancestor_mondo_id
),

final as (
    select * from wrong_chains
    union all
    select * from upside_down
    union all
    select * from cycles
)

select * from final
