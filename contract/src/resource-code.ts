import { given, type Shape, withMore } from './shape.ts'

/** `sales_orders` → `salesOrders`: how relations, counts and filters are named. */
export function camelCase(code: string): string {
  return code.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The form of the code of a resource. */
export const RESOURCE_CODE = '^[a-z][a-z0-9_]{1,39}$'

/** The code of a resource of the workspace. Where it is sent, the operation looks for the resource. */
export function resourceCode(says?: string): Shape<string> {
  return given(withMore({ type: 'string', pattern: RESOURCE_CODE }, { says }), 'companies')
}
