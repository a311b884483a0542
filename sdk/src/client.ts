/** The entry point of the package: everything an integrator needs is exported here. */

import { registry } from '@kith/contract/registry'
import { perResource, type ResourceName } from '@kith/contract/resource'
import { documentOf, reading } from './calls.ts'
import { type CustomFieldsClient, customFieldsClient } from './custom-fields-client.ts'
import type { FieldTypes } from './custom-values.ts'
import type { UserObject } from './documents.ts'
import type { CallOptions } from './list-query.ts'
import { type ResourceClient, resourceClient } from './resource-client.ts'
import { type ClientOptions, connect } from './transport.ts'

export type { Choice, Day, FieldTypes, Moment } from './custom-values.ts'
export type {
  Attributes,
  CursorList,
  CustomFieldList,
  CustomFieldObject,
  PageList,
  RecordObject,
  Single,
  UserObject,
} from './documents.ts'
export { type ErrorsByPath, type FailureKind, failureOf, KithError } from './failures.ts'
export type { Filter } from './filter.ts'
export type { ChangeOptions, PageQuery, SortName, WalkQuery, WriteOptions } from './list-query.ts'
export type { CreateInput, UpdateInput, UpsertInput } from './record-input.ts'
export { related } from './related.ts'
export type { ClientOptions, CustomFieldsClient, ResourceClient }

type ResourceClients<F extends FieldTypes> = { [R in ResourceName]: ResourceClient<F, R> }

/** Everything that a token can reach. `F` has the types of the workspace's custom fields. */
export type Client<F extends FieldTypes = FieldTypes> = ResourceClients<F> & {
  customFields: CustomFieldsClient
  /** The user whose token it is. */
  user(options?: CallOptions): Promise<{ data: UserObject }>
}

export function createClient<F extends FieldTypes = FieldTypes>(options: ClientOptions): Client<F> {
  const connection = connect(options)
  // Each client is made from the declaration of its own resource.
  const clients = perResource((name) => resourceClient(connection, registry[name])) as unknown as ResourceClients<F>
  return {
    ...clients,
    customFields: customFieldsClient(connection),
    user: (asked = {}) => documentOf(connection, reading('/user', asked)),
  }
}
