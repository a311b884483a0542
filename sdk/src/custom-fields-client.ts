import type { ResourceName } from '@kith/contract/resource'
import { documentOf, reading } from './calls.ts'
import type { CustomFieldList, CustomFieldObject } from './documents.ts'
import type { CallOptions } from './list-query.ts'
import { recordsOf, walkByNumber } from './pages.ts'
import type { Connection } from './transport.ts'

type FieldQuery = CallOptions & { readonly entity_type?: ResourceName; readonly per_page?: number }

/** The custom fields of the workspace, in order of resource and position. They are read only. */
export type CustomFieldsClient = {
  list(query?: FieldQuery & { readonly page?: number }): Promise<CustomFieldList>
  pages(query?: FieldQuery): AsyncGenerator<CustomFieldList, void, undefined>
  all(query?: FieldQuery): AsyncGenerator<CustomFieldObject, void, undefined>
}

export function customFieldsClient(connection: Connection): CustomFieldsClient {
  const list = (asked: FieldQuery) => documentOf<CustomFieldList>(connection, reading('/custom-fields', asked))
  return {
    list: (asked = {}) => list(asked),
    pages: (asked = {}) => walkByNumber(asked, list),
    all: (asked = {}) => recordsOf(walkByNumber(asked, list)),
  }
}
