{#- Where the sentences of a question end. `¶` stands for an end: after . ? ! : and whatever closes
    there, before a capital or an opening mark; at a line break before one; and before a Which,
    What, How or ¿ that follows laboratory values without any stop. Titles (Dr., Sra.) do not end a
    sentence. -#}
{% macro question_sentences(text) -%}
    list_filter(
        list_transform(
            string_split(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            replace(trim({{ text }}, e' \t\r\n'), '¶', ' '),
                            '\b(Dr|Drs|Dra|Mr|Mrs|Ms|Sr|Sra|St|vs|Prof)\.\s+', '\1.' || chr(160), 'g'
                        ),
                        '([.?!:…]["”’'')\]]*)\s+(["“‘''(\[]*[A-ZÁÉÍÓÚÑ¿¡])', '\1¶\2', 'g'
                    ),
                    '\s*\n\s*(["“(]*[A-ZÁÉÍÓÚÑ¿¡])|\s+((?:Which|What|How|Based on) |¿)', '¶\1\2', 'g'
                ),
                '¶'
            ),
            lambda sentence: trim(replace(sentence, chr(160), ' '), e' \t\r\n')
        ),
        lambda sentence: sentence != ''
    )
{%- endmacro %}

{#- Does a sentence ask? It ends in a question mark, or has the words of an examination
    question. -#}
{% macro is_asking(sentence) -%}
    (
        regexp_matches({{ sentence }}, '[?]["”’'')\]:.…]*$')
        or regexp_matches(
            lower({{ sentence }}),
            '\b(which (one )?of the following|which of these|all of the following'
            || '|each of the following|(select|choose|pick|identify|indicate) the '
            || '|what (is|are|was|were|would|will|should) '
            || '|cu[aá]l(es)? de (los|las|estos|estas|entre)\b'
            || '|(se[nñ]ale|se[nñ]ala|indique|indica|marque|elija|escoja|seleccione|identifique)\b'
            || '|(one|uno|una) (of|de) (the following|los siguientes|las siguientes))'
        )
    )
{%- endmacro %}

{#- Does a sentence belong to the question that follows? It asks by what it leaves out, as 'All of these
    are typical EXCEPT one.' does before 'Señálela:', or names the topic, as 'En relación con la gota'
    does before a ¿. -#}
{% macro is_completed_by(sentence, following) -%}
    coalesce(
        (
            regexp_matches(
                lower(strip_accents({{ sentence }})),
                '\b(except|excepto|salvo|todas l[ao]s|todos los|solo un[ao]?|una? de (las|los)'
                || '|siguientes?)\b'
            )
            and regexp_matches(
                lower(strip_accents({{ following }})),
                '^[(¿]?(senal|indi(que|ca)|marque|elija|escoja|seleccione)\w*( (cual|la|el|lo|una'
                || '|uno|respuesta|opcion|correct[ao]|incorrect[ao]|fals[ao]|ciert[ao]|verdader[ao]'
                || '|de|las|los|ellas|ellos|siguientes|es))*[)?:. ]*$'
            )
        )
        or (
            starts_with({{ following }}, '¿')
            and regexp_matches(
                lower(strip_accents({{ sentence }})),
                '^(con respecto|respecto|en relacion|en cuanto|acerca|sobre|entre|referente|de )'
                || '.*[^.!?:]$'
            )
        ),
        false
    )
{%- endmacro %}

{#- Does the last sentence leave its end to the options, as 'The most likely diagnosis is' does? -#}
{% macro is_left_open(sentence) -%}
    (
        regexp_matches({{ sentence }}, '[:…][''"”]?$')
        or (
            not regexp_matches({{ sentence }}, '[.!][''"”)]*$')
            and regexp_matches(
                lower({{ sentence }}),
                '\b(is|are|by|of|with|has|to|es|son|por|de|con|a|ser[ií]a|est[aá])$'
            )
        )
        or regexp_matches(
            lower({{ sentence }}),
            '(most likely (diagnosis|cause|explanation)( of [^.]*)? is'
            || '|this patient most likely has'
            || '|(diagn[oó]stico|causa|tratamiento|actitud|prueba|conducta)[^.]* m[aá]s '
            || '(probable|adecuad[oa]|apropiad[oa]|indicad[oa]|frecuente)[^.]* (es|ser[ií]a))'
            || '[^.]*[.:…]?$'
        )
    )
{%- endmacro %}

{#- A question inside a quotation is put to the doctor, not to the reader. -#}
{% macro is_spoken(sentence) -%}
    regexp_matches({{ sentence }}, '["“«][^"”»]*[?]["”»]')
{%- endmacro %}

{#- Text after the question that still belongs to it: a note on rounding, a table of options. -#}
{% macro longest_tail() -%} 200 {%- endmacro %}

{#- A narrative of at most this many characters is not a vignette: the question is then kept whole
    (docs/specification.md#question-split). -#}
{% macro shortest_vignette() -%} 50 {%- endmacro %}

{#- Does a stem ask for the exception? 'EXCEPT', 'least likely', 'is NOT', 'señale la falsa'. -#}
{% macro is_negated_stem(stem) -%}
    coalesce(
        regexp_matches(
            {{ stem }},
            '\b(NOT|EXCEPT|LEAST|FALSE|INCORRECT|NO|FALSA|FALSO|INCORRECTA|INCORRECTO|EXCEPTO|SALVO)\b'
        )
        or regexp_matches(
            lower({{ stem }}),
            '\b(except|least (likely|appropriate|common|useful|helpful)'
            || '|which (one )?of (the following|these)( \w+){0,5}'
            || ' (is|are|was|were|does|do|would|should|will|can|could) (not|never)'
            || '|(false|incorrect|untrue) (statement|about|regarding|concerning)|is (false|incorrect)'
            || '|excepto|salvo|menos (probable|frecuente|adecuad[oa]|indicad[oa])'
            || '|(la|el|lo|opci[oó]n|respuesta|afirmaci[oó]n|es) (falsa|falso|incorrecta|incorrecto)'
            || '|cu[aá]l(es)?( \w+){0,6} no (es|son|se|est[aá]|est[aá]n|ser[ií]a|debe|deben|forma))\b'
        ),
        false
    )
{%- endmacro %}

{#- en or es, by the function words of the text; a text with neither counts as English. -#}
{% macro question_language(text) -%}
    case
        when
            len(regexp_extract_all(
                ' ' || lower({{ text }}) || ' ',
                '[ ¿](el|la|los|las|de|del|que|una|un|con|por|en|se|es|cuál|años)[ ,.?]'
            ))
            > len(regexp_extract_all(
                ' ' || lower({{ text }}) || ' ',
                ' (the|of|with|and|is|which|following|for|this|by|what|to|an)[ ,.?]'
            ))
            then 'es'
        else 'en'
    end
{%- endmacro %}

{#- The hash of a trimmed text: the first 16 hex digits of its sha256. -#}
{% macro text_hash(text) -%}
    left(sha256(trim({{ text }}, e' \t\r\n')), 16)
{%- endmacro %}
