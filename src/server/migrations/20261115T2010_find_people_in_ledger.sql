-- Erasing a person must also find what others did that names them by address, such as an invite, and not by reading
-- every entry: only those that hold personal values are listed, which few do.

create function ledger_personal_values(personal json) returns text[] language sql immutable parallel safe as $$
  select array(
    select lower(held) from json_array_elements(personal -> 'changes') as listed (change),
      lateral (values (change ->> 'before'), (change ->> 'after')) v (held)
    where held is not null)
$$;

create index ledger__personal_values on ledger using gin (ledger_personal_values(personal))
  where json_array_length(personal -> 'changes') > 0;
