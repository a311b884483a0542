import { Link } from '@tanstack/react-router'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { classNames } from '../components/class-names.ts'

/** The name of a record in a line, which leads to its page. */
export function RecordName({ record, className }: { record: ApiRecord; className?: string }) {
  const workspace = useSlug()
  const { type: resource, id } = record
  return (
    <Link
      to="/$workspace/$resource/$id"
      params={{ workspace, resource, id }}
      dir="auto"
      className={classNames('min-w-0 flex-1 truncate text-sm hover:underline', className)}
    >
      {nameOf(record)}
    </Link>
  )
}
