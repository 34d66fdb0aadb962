-- Events that were no success, of everybody and of one owner: few among very many.
CREATE INDEX events_unsuccessful ON events (date_time) WHERE outcome <> 'Success';
CREATE INDEX events_unsuccessful_by_owner ON events (institution_id, date_time)
    WHERE outcome <> 'Success';

-- What the sums of what is held are made of, without the rows.
CREATE INDEX objects_summed ON objects
    (institution_id, storage_option, access, file_count, size)
    WHERE version > 0 AND state = 'A';
