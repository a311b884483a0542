import type { ResourceName } from '@kith/contract/resource'
import { Link } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { createContext, useContext } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState, ErrorState } from '../../components/states.tsx'
import { useAppearance } from '../../resources.ts'
import { useListState } from './list-state.ts'
import type { RecordWindow } from './record-window.ts'

/** The state of a list without rows: empty, nothing found, or an error. */
export function ListEnd(props: { resource: ResourceName; list: Pick<RecordWindow, 'error' | 'total' | 'retry'> }) {
  const { resource, list } = props
  const [{ filter, q }, change] = useListState()
  const create = useCreate()
  const slug = useSlug()
  const { icon, one, many, purpose } = useAppearance(resource)
  if (list.error && list.total) {
    return (
      <div
        role="alert"
        className="sticky bottom-4 left-4 z-20 flex w-fit max-w-[calc(100%-32px)] items-center gap-3 rounded-lg bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-float"
      >
        <span className="min-w-0 text-danger">Some rows could not be loaded: {list.error.message}</span>
        <Button size="small" onClick={list.retry}>
          Try again
        </Button>
      </div>
    )
  }
  if (list.error) {
    return (
      <div className="sticky left-0 w-full bg-paper">
        <ErrorState error={list.error} onRetry={list.retry} />
      </div>
    )
  }
  if (list.total !== 0) return null
  const narrowed = filter !== undefined || q !== undefined
  return (
    <div className="sticky left-0 w-full">
      {narrowed ? (
        <EmptyState icon={SearchX} title={`No ${many} match`} text="No record matches the filter and the search.">
          <Button onClick={() => change({ filter: undefined, q: undefined })}>Clear filter and search</Button>
        </EmptyState>
      ) : (
        <EmptyState icon={icon} title={`No ${many} yet`} text={purpose}>
          {create && (
            <>
              <Button look="primary" className="max-w-64" onClick={create}>
                <span className="truncate">New {one}</span>
              </Button>
              <Link
                to="/$workspace/$resource/import"
                params={{ workspace: slug, resource }}
                className="inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover"
              >
                Import a file
              </Link>
            </>
          )}
        </EmptyState>
      )}
    </div>
  )
}

/** Starts a new record in the list; undefined without the permission to create. */
export const CreateContext = createContext<(() => void) | undefined>(undefined)

function useCreate(): (() => void) | undefined {
  return useContext(CreateContext)
}
