import { doneOption } from '../done-option.ts'
import { filterableNamed, relatedResource } from '../filterable-named.ts'
import { isObject } from '../raw-input.ts'
import { CUSTOM_FIELDS, type Resource } from '../resource.ts'
import { allOf } from './all-of.ts'
import { addDays, type Day, type DayRange, dayAt, daysOf, isDay, OVERDUE, startOfDay } from './periods.ts'

/** A filter as the application states it, or as the API takes it. */
type FilterObject = Readonly<Record<string, unknown>>

/** Who reads a list, when and where: what relative conditions depend on. */
export type Reader = { me: string; now: Date; timeZone: string; weekStart: number }

/** In place of the id of a member: the reader. */
export const ME = 'me'

type ResolveContext = { resource: Resource; reader: Reader }

/**
 * From the filter of a list or a view to the filter of the API. The first can say `$during` a period, `$between` two
 * days of the reader, and `me`. The second contains dates and ids only.
 */
export function resolveFilter(filter: FilterObject | undefined, context: ResolveContext): FilterObject | undefined {
  return filter && allOf(Object.entries(filter).flatMap(([key, value]) => resolveEntry(key, value, context)))
}

function resolveEntry(key: string, value: unknown, context: ResolveContext): FilterObject[] {
  if ((key === '$and' || key === '$or') && Array.isArray(value)) {
    return [{ [key]: value.map((part) => (isObject(part) ? (resolveFilter(part, context) ?? part) : part)) }]
  }
  if (!isObject(value)) return [{ [key]: value }]
  if (key === '$not') return [{ [key]: resolveFilter(value, context) ?? value }]
  if (key === 'custom_fields') {
    return Object.entries(value).flatMap(([code, tests]) => resolveCustom(code, tests, context))
  }
  const related = resolveRelation(key, value, context)
  if (related) return [{ [key]: related }]
  const filterable = context.resource.filterables.get(key)
  if (filterable?.kind === 'time') {
    const { reader } = context
    return resolveTests(value, momentsAre(reader), reader).map((tests) => ({ [key]: tests }))
  }
  return [{ [key]: value }]
}

/** The conditions on members or records that are related; undefined for everything else. */
function resolveRelation(name: string, value: FilterObject, context: ResolveContext): FilterObject | undefined {
  if (filterableNamed(name, context.resource)?.kind === 'member') return withMe(value, context.reader.me)
  const related = relatedResource(name, context.resource)
  return related && (resolveFilter(value, { ...context, resource: related }) ?? value)
}

function resolveCustom(code: string, tests: unknown, context: ResolveContext): FilterObject[] {
  const { resource, reader } = context
  const related = isObject(tests) ? resolveRelation(CUSTOM_FIELDS + code, tests, context) : undefined
  if (related) return [{ custom_fields: { [code]: related } }]
  const type = resource.fields.byCode.get(code)?.type
  if (!isObject(tests) || (type !== 'date' && type !== 'date-time')) return [{ custom_fields: { [code]: tests } }]
  const resolved = resolveTests(tests, type === 'date' ? daysAre : momentsAre(reader), reader)
  const parts = resolved.map((part) => ({ custom_fields: { [code]: part } }))
  const open = code === DUE_DATE && tests.$during === OVERDUE ? notDone(resource) : undefined
  return open ? [...parts, open] : parts
}

/** The field that says when a task is due, and the one that says whether it is done. */
const DUE_DATE = 'due_date'
const STATUS = 'status'

/** A task that is done is not overdue. */
function notDone({ type, fields }: Resource): FilterObject | undefined {
  const done = type === 'tasks' ? doneOption(fields.byCode.get(STATUS)?.options ?? []) : undefined
  return done && { custom_fields: { [STATUS]: { $not_in: [done.id] } } }
}

type Conditions = Readonly<Record<string, unknown>>

/** How days become conditions. */
type DayConditions = { within(days: DayRange): Conditions; past(reader: Reader): Conditions }

/** Of a calendar day. */
const daysAre: DayConditions = {
  within: ({ first, last }) => ({ $gte: first, $lte: last }),
  past: ({ now, timeZone }) => ({ $lt: dayAt(now, timeZone) }),
}

/** Of a moment: days begin and end by the clock of the reader. */
function momentsAre({ timeZone }: Reader): DayConditions {
  const start = (day: Day) => startOfDay(day, timeZone).toISOString()
  return {
    within: ({ first, last }) => ({ $gte: start(first), $lt: start(addDays(last, 1)) }),
    past: ({ now }) => ({ $lt: now.toISOString() }),
  }
}

/** What is no period and no range stays as it is: the API says what is wrong with it. */
function resolveTests(
  { $during, $between, ...others }: Conditions,
  wording: DayConditions,
  reader: Reader,
): Conditions[] {
  const during = daysOf($during, { today: dayAt(reader.now, reader.timeZone), weekStart: reader.weekStart })
  const between = rangeIn($between)
  const parts = [
    others,
    $during === OVERDUE ? wording.past(reader) : during ? wording.within(during) : unresolved({ $during }),
    between ? wording.within(between) : unresolved({ $between }),
  ].filter((part) => Object.keys(part).length > 0)
  return parts.length === 0 ? [others] : parts
}

function unresolved(test: Conditions): Conditions {
  return Object.values(test).includes(undefined) ? {} : test
}

function rangeIn(value: unknown): DayRange | undefined {
  const [first, last] = Array.isArray(value) ? value : []
  if (!isDay(first) || !isDay(last)) return undefined
  return first <= last ? { first, last } : { first: last, last: first }
}

function withMe(tests: Conditions, me: string): Conditions {
  const named = (ids: unknown) => (Array.isArray(ids) ? ids.map((id) => (id === ME ? me : id)) : ids)
  return Object.fromEntries(Object.entries(tests).map(([operator, ids]) => [operator, named(ids)]))
}
