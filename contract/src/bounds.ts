import type { Bounds } from './filter.ts'
import type { Operator } from './operators.ts'

export const comparisons = ['$eq', '$gt', '$gte', '$lt', '$lte'] as const satisfies readonly Operator[]

/** The bounds within which a value lies that compares so with the operand. */
export function boundsOf<T>(operator: Operator, operand: T): Bounds<T> {
  switch (operator) {
    case '$eq':
      return { from: operand, to: operand }
    case '$gt':
      return { after: operand }
    case '$gte':
      return { from: operand }
    case '$lt':
      return { before: operand }
    case '$lte':
      return { to: operand }
    default:
      throw new Error(`${operator} compares nothing.`)
  }
}
