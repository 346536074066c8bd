{#-
  The names of a code. ICD-10-CM's own conventions say which words of a title can be left out: round
  brackets hold supplementary words, square brackets synonyms or explanations, and NOS means that
  nothing further is specified. A shortened name is kept unless it is another code's title or the
  short form of several codes.
-#}
{%- set in_brackets = "\\s+(\\([^()]*\\)|\\[[^\\[\\]]*\\])(\\s|,|$)" -%}
with codes as (
    select * from {{ ref('dim_icd10_code') }}
),

terms as (
    select * from {{ ref('icd10cm_inclusion_term') }}
),

titles as (
    select
        code,
        title as alias,
        'preferred' as scope,
        'title' as source,
    from codes
),

-- twice, because two brackets side by side share the space between them
bare_titles as (
    select
        code,
        kind,
        regexp_replace(
            regexp_replace(title, '{{ in_brackets }}', '\2', 'g'), '{{ in_brackets }}', '\2', 'g'
        ) as title,
    from codes
),

bare_terms as (
    select
        code,
        kind,
        regexp_replace(
            regexp_replace(term, '{{ in_brackets }}', '\2', 'g'), '{{ in_brackets }}', '\2', 'g'
        ) as term,
        term like '%[%]%' as is_bracketed,
    from terms
),

-- "Includes" gives examples from a category; an inclusion term is coded to exactly that code
listed as (
    select
        code,
        term as alias,
        case kind when 'inclusion_term' then 'inclusion' else 'narrow' end as scope,
        kind as source,
    from terms
),

short_titles as (
    select
        code,
        trim(title) as alias,
        'exact' as scope,
        'title without brackets' as source,
    from bare_titles
    where kind not in ('chapter', 'block', 'extension')
),

-- square brackets behind a whole title hold another name of it
bracketed_names as (
    select
        code,
        trim(regexp_extract(title, '^[^\[]+ \[([^\[\]]{4,})\]$', 1)) as alias,
        'exact' as scope,
        'title in brackets' as source,
    from codes
    where kind not in ('chapter', 'block', 'extension') and title like '%]'
),

-- 'Heart failure with reduced ejection fraction [HFrEF]'
short_terms as (
    select
        code,
        regexp_replace(trim(term), ' NOS$', '') as alias,
        'inclusion' as scope,
        'inclusion_term without ' || if(trim(term) like '% NOS', 'NOS', 'brackets') as source,
    from bare_terms
    where kind = 'inclusion_term' and (trim(term) like '% NOS' or is_bracketed)
),

all_shortened as (
    select * from short_titles
    union all by name
    select * from bracketed_names
    where alias != ''
    union all by name
    select * from short_terms
),

shortened as (
    select
        *,
        {{ normalise_name("alias") }} as alias_normalised,
    from all_shortened
),

known_names as (
    select {{ normalise_name("alias") }} as alias_normalised
    from titles
    union
    select {{ normalise_name("alias") }} as alias_normalised
    from listed
),

new_names as (
    select shortened.*
    from shortened
    anti join known_names on shortened.alias_normalised = known_names.alias_normalised
    -- a shortened title ('exact') takes precedence over a shortened inclusion term
    qualify
        shortened.scope = min(shortened.scope) over (partition by shortened.alias_normalised)
),

telling_names as (
    select *
    from new_names
    qualify
        min(code) over (partition by alias_normalised)
        = max(code) over (partition by alias_normalised)
),

all_names as (
    select * from titles
    union all by name
    select * from listed
    union all by name
    select * from telling_names
),

final as (
    select
        code,
        alias,
        scope,
        source,
    from all_names
)

select * from final
