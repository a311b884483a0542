import { fieldTypes } from '@kith/contract/field-types'
import { isToMany } from '@kith/contract/resource'
import type { Group, OwnRelation, Property } from '@kith/contract/summary'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnOf, isOf } from '../tables/numbers.ts'
import { isValueOf, liveRows } from './order.ts'

/** The values of a property of each record: the join that leads to them, and the value itself, which may be null. */
type Values = {
  join: Sql<unknown>
  value: Sql<unknown>
  /** Whether a record may have several, each in a row of its own. */
  many: boolean
}

/** The row of the record under an alias that is unique in the statement with this number. */
type Place = { alias: string; number: string }

/**
 * What records of a group have in common: deleted records and former members are no value. `keyOf` makes the key of the
 * group from a value.
 */
export function groupValues(
  scope: Reader,
  { property, through }: Pick<Group, 'property' | 'through'>,
  { keyOf, ...at }: Place & { keyOf: (value: Sql<unknown>) => Sql<unknown> },
): Values {
  const of = (place: Place) => {
    const values = propertyValues(scope, property, place)
    return { ...values, value: keyOf(values.value) }
  }
  if (!through) return of(at)
  const related = { alias: `t${at.number}`, number: `${at.number}r` }
  const there = of(related)
  const { relation, name, resource } = through
  const isThere = sql`${isOf(scope, relation.to, related.alias)} and ${sql.ref(`${related.alias}.deleted_at`)} is null`
  const id = sql.ref(`${related.alias}.id`)
  if (relation.kind === 'reference') {
    const join = sql`left join records ${sql.raw(related.alias)}
      on ${isThere} and ${id} = ${column(at, relation.column)} ${there.join}`
    return { ...there, join }
  }
  // Several related records may have the same key.
  const [own, from] =
    relation.kind === 'field'
      ? [
          sql`v.record`,
          sql`from field_values v join records ${sql.raw(related.alias)}
          on ${isThere} and ${id} = v.match_key ${there.join} where ${isValueOf(scope, relation.field)}`,
        ]
      : [
          sql`l.from_id`,
          sql`from links l join records ${sql.raw(related.alias)}
          on ${isThere} and ${id} = l.to_id ${there.join} where l.workspace_id = ${scope.workspace.id}
          and l.from_type = ${resource.type} and l.relation = ${name}`,
        ]
  const pairs = sql`select distinct ${own} as own, ${there.value} as value ${from} and ${there.value} is not null`
  const p = `p${at.number}`
  const key = column(at, relation.kind === 'field' ? 'number' : 'id')
  const join = sql`left join (${pairs}) ${sql.raw(p)} on ${sql.ref(`${p}.own`)} = ${key}`
  return { join, value: sql.ref(`${p}.value`), many: there.many || isToMany(relation) }
}

export function propertyValues(scope: Reader, property: Property, at: Place): Values {
  switch (property.of) {
    case 'attribute': {
      const name = property.kind === 'text' ? 'name_key' : columnOf(property.name)
      return { join: sql``, value: column(at, name), many: false }
    }
    case 'field': {
      const { type, number } = property.field
      const { list, valueKey = 'record' } = fieldTypes[type]
      const v = `v${at.number}`
      const join = sql`left join field_values ${sql.raw(v)}
        on ${sql.ref(`${v}.workspace`)} = ${scope.workspace.number}
        and ${sql.ref(`${v}.record`)} = ${column(at, 'number')} and ${sql.ref(`${v}.field`)} = ${number}`
      return { join, value: sql.ref(`${v}.${valueKey}`), many: list }
    }
    case 'relation':
      return relatedIds(scope, { ...property, at })
  }
}

function relatedIds(scope: Reader, { relation, name, at }: { relation: OwnRelation; name: string; at: Place }): Values {
  const r = `r${at.number}`
  if (relation.kind === 'linked') {
    const l = `l${at.number}`
    const link = (name: string) => sql.ref(`${l}.${name}`)
    // Alias 9 is deeper than any filter.
    const isThere = sql`exists (select 1 ${liveRows(scope, relation.to, 9)}
      and ${sql.ref(relation.to === 'users' ? 'r9.user_id' : 'r9.id')} = ${link('to_id')})`
    const join = sql`left join links ${sql.raw(l)} on ${link('workspace_id')} = ${scope.workspace.id}
      and ${link('from_id')} = ${column(at, 'id')} and ${link('relation')} = ${name} and ${isThere}`
    return { join, value: link('to_id'), many: true }
  }
  if (relation.kind === 'field') {
    const v = `v${at.number}`
    const of = (name: string) => sql.ref(`${v}.${name}`)
    const isThere = sql`exists (select 1 ${liveRows(scope, relation.to, 9)}
      and ${sql.ref(relation.to === 'users' ? 'r9.user_id' : 'r9.id')} = ${of('match_key')})`
    const join = sql`left join field_values ${sql.raw(v)} on ${of('workspace')} = ${scope.workspace.number}
      and ${of('record')} = ${column(at, 'number')} and ${of('field')} = ${relation.field.number} and ${isThere}`
    return { join, value: of('match_key'), many: relation.many }
  }
  const own = column(at, relation.column)
  if (relation.to === 'users') {
    const join = sql`left join members ${sql.raw(r)}
      on ${sql.ref(`${r}.workspace_id`)} = ${scope.workspace.id} and ${sql.ref(`${r}.user_id`)} = ${own}`
    return { join, value: sql.ref(`${r}.user_id`), many: false }
  }
  const join = sql`left join records ${sql.raw(r)} on ${isOf(scope, relation.to, r)}
    and ${sql.ref(`${r}.id`)} = ${own} and ${sql.ref(`${r}.deleted_at`)} is null`
  return { join, value: sql.ref(`${r}.id`), many: false }
}

function column({ alias }: Place, name: string): Sql<unknown> {
  return sql.ref(`${alias}.${name}`)
}

/** The columns of a record that joins and values refer to. */
export const valueColumns = [
  ...['number', 'id', 'name_key', 'creation_source', 'created_at', 'updated_at', 'creator_id'],
  ...['account_owner_id', 'owner_id', 'company_id', 'contact_id'],
]
