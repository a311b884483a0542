/** The one door of the package: all that an integrator needs is exported here. */

import { companies } from '@kith/contract/resources/companies'
import { notes } from '@kith/contract/resources/notes'
import { opportunities } from '@kith/contract/resources/opportunities'
import { people } from '@kith/contract/resources/people'
import { tasks } from '@kith/contract/resources/tasks'
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
export type { PageQuery, SortName, WalkQuery } from './list-query.ts'
export type { CreateInput, UpdateInput, UpsertInput } from './record-input.ts'
export { related } from './related.ts'
export type { ClientOptions, CustomFieldsClient, ResourceClient }

/** Everything that a token can reach. `F` says what its workspace keeps in custom fields. */
export type Client<F extends FieldTypes = FieldTypes> = {
  companies: ResourceClient<F, 'companies'>
  people: ResourceClient<F, 'people'>
  opportunities: ResourceClient<F, 'opportunities'>
  tasks: ResourceClient<F, 'tasks'>
  notes: ResourceClient<F, 'notes'>
  customFields: CustomFieldsClient
  /** The user whose token it is. */
  user(options?: CallOptions): Promise<{ data: UserObject }>
}

export function createClient<F extends FieldTypes = FieldTypes>(options: ClientOptions): Client<F> {
  const connection = connect(options)
  return {
    companies: resourceClient(connection, companies),
    people: resourceClient(connection, people),
    opportunities: resourceClient(connection, opportunities),
    tasks: resourceClient(connection, tasks),
    notes: resourceClient(connection, notes),
    customFields: customFieldsClient(connection),
    user: (asked = {}) => documentOf(connection, reading('/user', asked)),
  }
}
