/** The entry point of the package: everything an integrator needs is exported here. */

import { registry } from '@kith/contract/registry'
import { perResource, type ResourceName } from '@kith/contract/resource'
import { documentOf, reading } from './calls.ts'
import { type ChangesClient, changesClient } from './changes-client.ts'
import { type CustomFieldsClient, customFieldsClient } from './custom-fields-client.ts'
import type { FieldTypes } from './custom-values.ts'
import type { UserObject } from './documents.ts'
import type { CallOptions } from './list-query.ts'
import {
  type MergeClient,
  type MergesClient,
  mergeClient,
  mergesClient,
  type TrashClient,
  trashClient,
} from './merge-client.ts'
import { type MirrorOptions, mirror } from './mirror.ts'
import { type ResourceClient, resourceClient } from './resource-client.ts'
import { type ClientOptions, connect } from './transport.ts'

export type { ChangedResource, ChangeEntry, ChangePage, ExternalIds, SyncRecord } from './changes.ts'
export { ExpiredError, type Follower } from './changes-client.ts'
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
export type { DuplicateObject, HistoryObject, MergeObject, TrashObject } from './merge-documents.ts'
export type { CreateInput, UpdateInput, UpsertInput } from './record-input.ts'
export { related } from './related.ts'
export type { ChangesClient, ClientOptions, CustomFieldsClient, MirrorOptions, ResourceClient }

type ResourceClients<F extends FieldTypes> = { [R in ResourceName]: ResourceClient<F, R> & MergeClient<F, R> }

/** Everything that a token can reach. `F` has the types of the workspace's custom fields. */
export type Client<F extends FieldTypes = FieldTypes> = ResourceClients<F> & {
  customFields: CustomFieldsClient
  merges: MergesClient
  trash: TrashClient
  changes: ChangesClient<F>
  /** Keeps a copy of the workspace equal to it, from one cursor. */
  mirror<R extends ResourceName = ResourceName>(options: MirrorOptions<F, R>): Promise<void>
  /** The user whose token it is. */
  user(options?: CallOptions): Promise<{ data: UserObject }>
}

export function createClient<F extends FieldTypes = FieldTypes>(options: ClientOptions): Client<F> {
  const connection = connect(options)
  // Each client is made from the declaration of its own resource.
  const clients = perResource((name) => ({
    ...resourceClient(connection, registry[name]),
    ...mergeClient(connection, registry[name]),
  })) as unknown as ResourceClients<F>
  const changes = changesClient<F>(connection)
  return {
    ...clients,
    changes,
    mirror: (wanted) => mirror(changes, wanted),
    customFields: customFieldsClient(connection),
    merges: mergesClient(connection),
    trash: trashClient(connection),
    user: (asked = {}) => documentOf(connection, reading('/user', asked)),
  }
}
