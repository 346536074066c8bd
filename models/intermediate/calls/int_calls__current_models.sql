with {{ callable_models() }}

select * from models
