import { attributesOf, type Declaration, type Filterable, type Relation } from './resource.ts'

export const idOperators = ['$in', '$not_in'] as const
export const textOperators = ['$eq', '$contains', '$is_empty'] as const
export const timeOperators = ['$eq', '$gt', '$gte', '$lt', '$lte', '$is_empty'] as const
export const sourceOperators = ['$eq', '$in', '$not_in', '$is_empty'] as const
export const linkOperators = ['$in', '$not_in', '$is_empty'] as const
/** Of the `domain` sub-field of email and link fields. */
export const hostOperators = ['$in', '$not_in'] as const

const operatorsOf = { text: textOperators, time: timeOperators, source: sourceOperators }

/** Everything native that a resource can be filtered by, by name; its custom fields come on top. */
export function filterablesOf(resource: Declaration, among: readonly Declaration[]): ReadonlyMap<string, Filterable> {
  // Reference fields are filtered by under `custom_fields`.
  const relations = Object.entries(resource.relations).flatMap(([name, relation]) =>
    relation.kind === 'field' ? [] : [declareRelation(name, relation)],
  )
  const attributes = (['text', 'time', 'source'] as const).flatMap((kind) =>
    attributesOf(resource, kind).map((name) => ({ name, kind, operators: operatorsOf[kind] })),
  )
  const list: Filterable[] = [
    { name: 'id', kind: 'id', operators: idOperators },
    ...attributes,
    ...relations,
    ...linkingTo(resource, among),
  ]
  if (resource.assignable) list.push({ name: 'assigned_to_me', kind: 'computed', operators: ['$eq'] })
  return new Map(list.map((entry) => [entry.name, entry]))
}

/** The resources that are linked to records of this one: tasks and notes. Their own names name the filters. */
function linkingTo({ type }: Declaration, among: readonly Declaration[]): Filterable[] {
  const linking = among.filter(({ relations }) =>
    Object.values(relations).some(({ kind, to }) => kind === 'linked' && to === type),
  )
  return linking.map(({ type: to }) => {
    return { name: to, kind: 'record', operators: linkOperators, relation: { kind: 'linking', to }, to }
  })
}

export function declareRelation(name: string, relation: Relation): Filterable & { kind: 'member' | 'record' } {
  const { to } = relation
  if (to === 'users') return { name, kind: 'member', operators: linkOperators, relation }
  return { name, kind: 'record', operators: linkOperators, relation, to }
}
