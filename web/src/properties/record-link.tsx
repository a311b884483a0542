import type { ResourceName } from '@kith/contract/resource'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { useSlug } from '../api/workspace.ts'

type Props = {
  resource: ResourceName
  id: string
  title?: string
  /** 0 where it is the only way for the keyboard; in grids and over editors it is not. */
  tabIndex?: number
  className?: string
  children: ReactNode
}

/**
 * The way from a value to the page of a record. Lists draw hundreds of them while they scroll, so it listens to
 * nothing: the router's own link knows whether it leads to where one is, which is not needed here.
 */
export function RecordLink({ resource, id, title, tabIndex = -1, className, children }: Props) {
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
      href={`/${slug}/${resource}/${id}`}
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
