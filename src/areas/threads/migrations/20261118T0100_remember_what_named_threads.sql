-- The number of the message that the thread has its name from: when that is erased, its words go from the name too.
alter table threads add column naming_seq int;
