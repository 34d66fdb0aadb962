-- Events that were no success, of everybody and of one owner: few among very many.
CREATE INDEX events_unsuccessful ON events (date_time) WHERE outcome <> 'Success';
CREATE INDEX events_unsuccessful_by_owner ON events (institution_id, date_time)
    WHERE outcome <> 'Success';

-- What the figures of replicas are made of, without the rows.
DROP INDEX object_copies_by_check;
CREATE INDEX object_copies_by_check ON object_copies
    (replica_id, oldest_checked_at, copy_count, unsound_count);
