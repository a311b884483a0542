import type { ResourceName } from '@kith/contract/resource'
import { Link, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { classNames } from '../components/class-names.ts'
import { pathOf } from '../places.ts'

/**
 * The way from a value to the page of a record. Lists draw hundreds of them while they scroll, so it listens to
 * nothing: the router's own link knows whether it leads to where one is, which is not needed here.
 */
export function RecordLink(props: {
  resource: ResourceName
  id: string
  title?: string
  /** 0 where it is the only way for the keyboard; in grids and over editors it is not. */
  tabIndex?: number
  className?: string
  children: ReactNode
}) {
  const { resource, id, title, tabIndex = -1, className, children } = props
  const slug = useSlug()
  const router = useRouter()
  const to = { to: '/$workspace/$resource/$id', params: { workspace: slug, resource, id } } as const
  const onClick = (event: MouseEvent) => {
    // The rest of the place edits.
    event.stopPropagation()
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.navigate(to)
  }
  return (
    <a
      href={pathOf(slug, resource, id)}
      title={title}
      tabIndex={tabIndex}
      onClick={onClick}
      onMouseEnter={() => void router.preloadRoute(to).catch(() => undefined)}
      className={className}
    >
      {children}
    </a>
  )
}

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

/** The name of a record that does not take the rest of its line. */
export function NamedLink({ record, className }: { record: ApiRecord; className: string }) {
  return (
    <RecordLink
      resource={record.type}
      id={record.id}
      tabIndex={0}
      className={classNames('min-w-0 hover:underline', className)}
    >
      {nameOf(record)}
    </RecordLink>
  )
}
