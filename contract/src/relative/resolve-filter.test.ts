import { describe, expect, it } from 'vitest'
import type { FieldDefinition } from '../field-definition.ts'
import { schemaOf } from '../registry.ts'
import { resourceIn } from '../resource.ts'
import { dayAt, daysOf, startOfDay } from './periods.ts'
import { resolveFilter } from './resolve-filter.ts'

const MONDAY = 1
const SUNDAY = 7
const SATURDAY = 6

describe('a period', () => {
  it.each([
    ['today', '2026-11-17', ['2026-11-17', '2026-11-17']],
    ['yesterday', '2026-03-01', ['2026-02-28', '2026-02-28']],
    ['yesterday', '2028-03-01', ['2028-02-29', '2028-02-29']],
    ['tomorrow', '2026-12-31', ['2027-01-01', '2027-01-01']],
    ['last_7_days', '2026-03-03', ['2026-02-25', '2026-03-03']],
    ['next_30_days', '2026-01-31', ['2026-01-31', '2026-03-01']],
    ['last_1_days', '2026-01-31', ['2026-01-31', '2026-01-31']],
    ['this_month', '2026-01-31', ['2026-01-01', '2026-01-31']],
    ['next_month', '2026-01-31', ['2026-02-01', '2026-02-28']],
    ['last_month', '2028-03-31', ['2028-02-01', '2028-02-29']],
    ['last_month', '2026-01-01', ['2025-12-01', '2025-12-31']],
    ['this_quarter', '2026-11-17', ['2026-10-01', '2026-12-31']],
    ['next_quarter', '2026-11-30', ['2027-01-01', '2027-03-31']],
    ['last_quarter', '2026-05-31', ['2026-01-01', '2026-03-31']],
    ['this_year', '2026-12-31', ['2026-01-01', '2026-12-31']],
    ['last_year', '2028-02-29', ['2027-01-01', '2027-12-31']],
    ['next_year', '2027-12-31', ['2028-01-01', '2028-12-31']],
  ])('%s on %s', (period, today, [first, last]) => {
    expect(daysOf(period, { today, weekStart: MONDAY })).toEqual({ first, last })
  })

  it.each([
    ['this_week', '2026-11-17', MONDAY, ['2026-11-16', '2026-11-22']],
    ['this_week', '2026-11-16', MONDAY, ['2026-11-16', '2026-11-22']],
    ['this_week', '2026-11-22', MONDAY, ['2026-11-16', '2026-11-22']],
    ['this_week', '2026-11-22', SUNDAY, ['2026-11-22', '2026-11-28']],
    ['this_week', '2026-11-21', SUNDAY, ['2026-11-15', '2026-11-21']],
    ['this_week', '2026-11-20', SATURDAY, ['2026-11-14', '2026-11-20']],
    ['last_week', '2027-01-01', MONDAY, ['2026-12-21', '2026-12-27']],
    ['next_week', '2026-12-31', SUNDAY, ['2027-01-03', '2027-01-09']],
  ])('%s on %s, where weeks begin on day %d', (period, today, weekStart, [first, last]) => {
    expect(daysOf(period, { today, weekStart })).toEqual({ first, last })
  })

  it.each(['', 'last_0_days', 'last_9999_days', 'this_decade', undefined, 7])('%s is none', (period) => {
    expect(daysOf(period, { today: '2026-11-17', weekStart: MONDAY })).toBeUndefined()
  })
})

describe('a day in a time zone', () => {
  it.each([
    ['2026-11-17', 'UTC', '2026-11-17T00:00:00.000Z'],
    ['2026-11-17', 'Europe/Berlin', '2026-11-16T23:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    // The clocks change within these days: they begin before the change, and the next ones after it.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
    ['2026-11-02', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    ['2026-11-17', 'Asia/Kathmandu', '2026-11-16T18:15:00.000Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
    ['2026-01-01', 'Pacific/Pago_Pago', '2026-01-01T11:00:00.000Z'],
    ['2026-10-04', 'Australia/Lord_Howe', '2026-10-03T13:30:00.000Z'],
    // The clocks skip from midnight to one: the day begins at one.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    // The clocks show midnight twice: the day begins at the first.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('%s in %s begins at %s', (day, timeZone, moment) => {
    const start = startOfDay(day, timeZone)
    expect(start.toISOString()).toBe(moment)
    expect(dayAt(start, timeZone)).toBe(day)
    expect(dayAt(new Date(start.getTime() - 1), timeZone) < day).toBe(true)
  })
})

const labelled = (id: string) => ({ id, label: id })

const fields = [
  { entity_type: 'opportunities', code: 'close_date', type: 'date', options: [] },
  { entity_type: 'tasks', code: 'due_date', type: 'date-time', options: [] },
  {
    entity_type: 'tasks',
    code: 'status',
    type: 'select',
    options: [labelled('open'), labelled('done'), labelled('void')],
  },
  { entity_type: 'companies', code: 'renewal', type: 'date', options: [] },
  { entity_type: 'opportunities', code: 'seller', type: 'member', settings: {} },
  { entity_type: 'opportunities', code: 'client', type: 'record', settings: { target: 'companies' } },
  // Of a field, only these are read.
] as unknown as FieldDefinition[]
const schema = schemaOf([], fields)

const reader = { me: 'ada', now: new Date('2026-03-29T23:30:00Z'), timeZone: 'Europe/Berlin', weekStart: MONDAY }

function resolved(resource: 'opportunities' | 'tasks' | 'companies' | 'people', filter: object) {
  return resolveFilter({ ...filter }, { resource: resourceIn(schema, resource), reader })
}

describe('a relative filter', () => {
  it('uses the day of the reader, not that of UTC', () => {
    expect(resolved('opportunities', { custom_fields: { close_date: { $during: 'today' } } })).toEqual({
      custom_fields: { close_date: { $gte: '2026-03-30', $lte: '2026-03-30' } },
    })
  })

  it('spans 23 hours on the day on which clocks go forward', () => {
    expect(resolved('companies', { created_at: { $during: 'yesterday' } })).toEqual({
      created_at: { $gte: '2026-03-28T23:00:00.000Z', $lt: '2026-03-29T22:00:00.000Z' },
    })
  })

  it('takes two days of the reader, in any order', () => {
    const march = { created_at: { $gte: '2026-02-28T23:00:00.000Z', $lt: '2026-03-31T22:00:00.000Z' } }
    expect(resolved('companies', { created_at: { $between: ['2026-03-01', '2026-03-31'] } })).toEqual(march)
    expect(resolved('companies', { created_at: { $between: ['2026-03-31', '2026-03-01'] } })).toEqual(march)
  })

  it('knows what is overdue: past days, past moments, and no tasks that are done', () => {
    expect(resolved('opportunities', { custom_fields: { close_date: { $during: 'overdue' } } })).toEqual({
      custom_fields: { close_date: { $lt: '2026-03-30' } },
    })
    expect(resolved('tasks', { custom_fields: { due_date: { $during: 'overdue' } } })).toEqual({
      custom_fields: { due_date: { $lt: '2026-03-29T23:30:00.000Z' }, status: { $not_in: ['done'] } },
    })
  })

  it('names the reader', () => {
    expect(resolved('tasks', { assignees: { $in: ['me', 'bob'] }, creator: { $not_in: ['me'] } })).toEqual({
      assignees: { $in: ['ada', 'bob'] },
      creator: { $not_in: ['ada'] },
    })
  })

  it('is resolved at any depth', () => {
    const filter = {
      $or: [
        { $not: { company: { custom_fields: { renewal: { $during: 'this_year' } }, accountOwner: { $in: ['me'] } } } },
        { name: { $eq: 'me' } },
      ],
    }
    expect(resolved('opportunities', filter)).toEqual({
      $or: [
        {
          $not: {
            company: {
              custom_fields: { renewal: { $gte: '2026-01-01', $lte: '2026-12-31' } },
              accountOwner: { $in: ['ada'] },
            },
          },
        },
        { name: { $eq: 'me' } },
      ],
    })
  })

  it('is resolved in reference fields, too', () => {
    const client = { custom_fields: { renewal: { $during: 'this_year' } }, accountOwner: { $in: ['me'] } }
    expect(resolved('opportunities', { custom_fields: { seller: { $not_in: ['me', 'bob'] }, client } })).toEqual({
      custom_fields: {
        seller: { $not_in: ['ada', 'bob'] },
        client: {
          custom_fields: { renewal: { $gte: '2026-01-01', $lte: '2026-12-31' } },
          accountOwner: { $in: ['ada'] },
        },
      },
    })
  })

  it('keeps other bounds of the same field', () => {
    expect(
      resolved('opportunities', { custom_fields: { close_date: { $during: 'this_year', $gte: '2026-02-01' } } }),
    ).toEqual({
      custom_fields: { close_date: { $gte: '2026-02-01' } },
      $and: [{ custom_fields: { close_date: { $gte: '2026-01-01', $lte: '2026-12-31' } } }],
    })
  })

  it('leaves to the API what it does not know', () => {
    const filter = { created_at: { $during: 'someday' }, updated_at: { $between: ['2026-02-31', '2026-03-01'] } }
    expect(resolved('companies', filter)).toEqual(filter)
  })
})
