with families as (
    select
        family,
        unnest(names) as written_name,
        gene_symbols,
    from {{ ref('stg_registry__disease_family') }}
),

named as (
    select
        family,
        {{ normalise_name("written_name") }} as written_name,
        gene_symbols,
    from families
),

profiles as (
    select
        name,
        core,
        series_marks,
        qualifiers,
        axis_values,
    from {{ ref('int_experiments__name_profiles') }}
    where core != ''
),

-- every name that has the words of the family's name: more qualifiers are as good, fewer are not
read as (
    select
        profiles.name,
        named.family,
        named.gene_symbols,
    from named
    inner join profiles as own on named.written_name = own.name
    inner join profiles
        on
            own.core = profiles.core
            and own.series_marks is not distinct from profiles.series_marks
            and list_has_all(profiles.qualifiers, own.qualifiers)
            and list_has_all(profiles.axis_values, own.axis_values)
),

final as (
    select distinct
        name,
        family,
        unnest(gene_symbols) as gene_symbol,
        case
            when len(gene_symbols) <= {{ parameter('small_family') }} then 'family'
            when len(gene_symbols) <= {{ parameter('large_family') }} then 'large_family'
            else 'wide_family'
        end as rule,
    from read
)

select * from final
