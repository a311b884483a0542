import type { View } from '@kith/contract/app/views'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { viewsQuery } from '../../api/views.ts'
import { useSlug } from '../../api/workspace.ts'

/** A filter in the words of the API. */
export type FilterObject = Readonly<Record<string, unknown>>

/** All that the address of a list says. What is absent is as the view, or the resource, has it. */
export type ListState = {
  /** The id of the saved view that was opened. */
  view?: string
  /** Names joined by commas, each with a leading - to descend, as in the API. */
  sort?: string
  filter?: FilterObject
  /** What was typed into the search of the list. */
  q?: string
  /** The columns in their order, each with its width: `name~280,custom_fields.stage~150`. */
  columns?: string
  layout?: (typeof layouts)[number]
  /** What makes groups: a relation, or a field as in `custom_fields.stage`. Boards name a field by its code. */
  group_by?: string
  /** What the foot of the table says under each column: `custom_fields.amount~sum`. */
  footers?: string
  /** The id of the record that is shown next to the list. */
  peek?: string
  /** The properties on the cards of a board, by key. */
  card?: string
  /** The columns of a board that are folded, by the ids of their options. */
  folded?: string
  /** The code of the date field that places records in a calendar. */
  date_by?: string
  /** How much a calendar shows: a month, unless it is a week. */
  span?: 'week'
  /** The day that a calendar is opened at: today, unless it is another one. */
  day?: string
}

const layouts = ['table', 'board', 'calendar'] as const

/** Reads an address. Invalid parts are left out, so that an old link still opens the list. */
export function parseListState(search: Record<string, unknown>): ListState {
  const { view, sort, filter, q, columns, footers, peek, card, folded, date_by, day } = search
  // `group` is what people write by hand.
  const group_by = search.group_by ?? search.group
  const layout = layouts.find((one) => one === search.layout)
  return {
    ...(isText(view) && { view }),
    ...(isText(sort) && { sort }),
    ...(isFilter(filter) && { filter }),
    ...((isText(q) || typeof q === 'number') && { q: String(q) }),
    ...(isText(columns) && { columns }),
    ...(layout && { layout }),
    ...(isText(group_by) && { group_by }),
    ...(isText(footers) && { footers }),
    ...(isText(peek) && { peek }),
    ...(isText(card) && { card }),
    ...(isText(folded) && { folded }),
    ...(isText(date_by) && { date_by }),
    ...(search.span === 'week' && { span: 'week' as const }),
    ...(isText(day) && { day }),
  }
}

/** What a saved view keeps: everything but which view it is, which record is open, and the day of a calendar. */
export function viewStateOf(list: ListState): Omit<ListState, 'view' | 'peek' | 'day'> {
  const { view: _, peek: __, day: ___, ...state } = list
  return state
}

/** The state of the list on the screen, and how to change it: a new state is a new address. */
export function useListState(): [ListState, (change: Partial<ListState>) => void] {
  const route = getRouteApi('/$workspace/$resource')
  const state = route.useSearch()
  const pathname = route.useMatch({ select: (match) => match.pathname })
  const navigate = route.useNavigate()
  const router = useRouter()
  const change = (changed: Partial<ListState>) => {
    // The list is still there while another page loads. A change of it must not lead back.
    if (router.latestLocation.pathname !== pathname) return
    navigate({ search: (before: ListState) => withoutUnset({ ...before, ...changed }), replace: true })
  }
  return [state, change]
}

function withoutUnset(state: ListState): ListState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined && value !== ''))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isFilter(value: unknown): value is FilterObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

/** The saved views of a resource that this member sees. */
export function useViews(resource: ResourceName): View[] {
  const { data: all = [] } = useQuery(viewsQuery(useSlug()))
  return all.filter((view) => view.resource === resource)
}

/** The saved view that the address names. */
export function useOpenView(resource: ResourceName): View | undefined {
  const [{ view }] = useListState()
  return useViews(resource).find(({ id }) => id === view)
}
