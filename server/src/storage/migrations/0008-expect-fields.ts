import type { Migration } from './words.ts'

/**
 * On PostgreSQL: like `hold_fields`, for whoever knows the version already. The answer need not be waited for, since a version that has moved ends the
 * transaction.
 */
export const expectFields: Migration = {
  name: '0008-expect-fields',
  statements: ({ dialect }) => (dialect === 'postgres' ? [expected] : []),
}

const expected = `create function expect_fields(workspace text, number bigint, expected integer) returns void language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(number);
    if (select fields_version from workspaces where id = workspace) is distinct from expected then
      raise exception 'The fields of the workspace have changed.' using errcode = 'KF001';
    end if;
  end $$`
