export const operators = [
  '$eq',
  '$contains',
  '$is_empty',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$has_any',
  '$has_none',
  '$in',
  '$not_in',
] as const
export type Operator = (typeof operators)[number]
