-- The registries alone decide what can be called today and at what price: nothing has to be asked
-- before this can be read.
with {{ callable_models() }}

select * from models
