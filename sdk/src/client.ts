/** The entry point of the package: everything an integrator needs is exported here. */

import { type BuiltInName, perResource } from '@kith/contract/resource'
import {
  type AnyOperation,
  type BatchClient,
  type BatchOptions,
  type BatchResults,
  batchClient,
  runBatch,
} from './batch-client.ts'
import { documentOf, reading } from './calls.ts'
import { type ChangesClient, changesClient } from './changes-client.ts'
import {
  type CommentsClient,
  commentsClient,
  type RecordCommentsClient,
  recordCommentsClient,
} from './comments-client.ts'
import type { FieldTypes } from './custom-values.ts'
import type { CustomFieldObject, TokenObject, UserObject } from './documents.ts'
import { type ExportClient, exportClient } from './export-client.ts'
import { type FilesClient, filesClient, type RecordFilesClient, recordFilesClient } from './files-client.ts'
import { type ImportClient, importClient, type JobsClient, jobsClient } from './jobs-client.ts'
import { type ListClient, listClient, type PageOf } from './list-client.ts'
import type { CallOptions } from './list-query.ts'
import { type MergeClient, type MergesClient, mergeClient, mergesClient, type OfResource } from './merge-client.ts'
import type { SearchResult, TrashObject } from './merge-documents.ts'
import { type MirrorOptions, mirror } from './mirror.ts'
import {
  type FollowClient,
  followClient,
  type NotificationsClient,
  notificationsClient,
} from './notifications-client.ts'
import { type ResourceClient, resourceClient } from './resource-client.ts'
import { type SchemaClient, schemaClient } from './schema-client.ts'
import { type ClientOptions, type Connection, connect } from './transport.ts'
import { type UndoClient, undoClient } from './undo-client.ts'
import { type WebhooksClient, webhooksClient } from './webhooks-client.ts'

export type { FeedResource } from '@kith/contract/changes/change-kind'
export type { CommentObject } from '@kith/contract/comment'
export type { ExternalIds } from '@kith/contract/external-ids'
export type { FileObject } from '@kith/contract/file'
export type { NotificationObject, NotificationSettings } from '@kith/contract/notifications'
export type { ResourceSchema, SchemaObject } from '@kith/contract/schema'
export type { Replay as ReplayInput } from '@kith/contract/webhooks/webhook'
export { BatchError, type BatchResult, type Operation } from './batch-client.ts'
export type { ChangeEntry, ChangePage, FeedObject, SyncRecord } from './changes.ts'
export { ExpiredError, type Follower } from './changes-client.ts'
export type { CommentsClient, RecordCommentsClient } from './comments-client.ts'
export type { Choice, Day, FieldTypes, Identifier, ListEdit, Moment } from './custom-values.ts'
export type {
  Attributes,
  CursorList,
  CustomFieldObject,
  PageList,
  RecordObject,
  Single,
  TokenObject,
  UserObject,
} from './documents.ts'
export type { ExportClient, Exported } from './export-client.ts'
export { type ErrorsByPath, type FailureKind, failureOf, KithError } from './failures.ts'
export type { FilesClient, RecordFilesClient } from './files-client.ts'
export type { Filter } from './filter.ts'
export type { ImportClient, ImportOptions, JobObject, JobResult, JobsClient } from './jobs-client.ts'
export type { ChangeOptions, PageQuery, ScanQuery, SortName, WriteOptions } from './list-query.ts'
export type { DuplicateObject, HistoryObject, MergeObject, SearchResult, TrashObject } from './merge-documents.ts'
export type { FollowClient, NotificationsClient } from './notifications-client.ts'
export type {
  CreateInput,
  NamedByEmail,
  NamedByLid,
  NamedByMatch,
  UpdateInput,
  UpsertInput,
} from './record-input.ts'
export { related } from './related.ts'
export type {
  CreateFieldInput,
  CreateResourceInput,
  FieldAddress,
  OptionObject,
  SchemaClient,
  UpdateFieldInput,
  UpdateResourceInput,
} from './schema-client.ts'
export type { Summary, SummaryInput } from './summary-query.ts'
export type { ChangeObject, UndoClient, UndoResults, UndoSelection } from './undo-client.ts'
export {
  verifyWebhook,
  type WebhookChange,
  WebhookError,
  type WebhookEvent,
  type WebhookHeaders,
} from './verify-webhook.ts'
export type {
  CreateWebhookInput,
  DeliveryObject,
  UpdateWebhookInput,
  WebhookObject,
  WebhooksClient,
} from './webhooks-client.ts'
export type {
  AnyOperation,
  BatchClient,
  BatchOptions,
  BatchResults,
  ChangesClient,
  ClientOptions,
  ListClient,
  MirrorOptions,
  ResourceClient,
}

type SearchOptions = CallOptions &
  OfResource & { readonly page?: number | undefined; readonly per_page?: number | undefined }

/** Everything that can be done with the records of a resource. */
export type RecordsClient<F extends FieldTypes, R extends string> = ResourceClient<F, R> &
  MergeClient<F, R> &
  BatchClient<F, R> &
  ExportClient<F, R> &
  ImportClient &
  RecordFilesClient &
  RecordCommentsClient &
  FollowClient

type ResourceClients<F extends FieldTypes> = { [R in BuiltInName]: RecordsClient<F, R> }

/** Everything that a token can reach. `F` has the types of the workspace's custom fields. */
export type Client<F extends FieldTypes = FieldTypes> = ResourceClients<F> & {
  /** The records of a resource by its code, such as one that the workspace has made. */
  resource<const R extends string>(code: R): RecordsClient<F, R>
  /** Endpoints to which the service sends changes. */
  webhooks: WebhooksClient<F>
  /** The schema of the workspace's records, and changes of its custom fields. */
  schema: SchemaClient
  /** The custom fields of the workspace, in order of resource and position. `schema` changes them. */
  customFields: ListClient<CustomFieldObject, { readonly entity_type?: string | undefined }>
  merges: MergesClient
  /** The files of all records. `companies.files(id)` lists and adds those of one. */
  files: FilesClient
  /** The comments on all records. `companies.comments(id)` lists and adds those on one. */
  comments: CommentsClient
  /** The inbox of the user whose token it is. `companies.follow(id)` follows a record. */
  notifications: NotificationsClient
  /** Imports and their undo. */
  jobs: JobsClient
  /** The deleted records of all resources. */
  trash: ListClient<TrashObject, OfResource>
  /** The records that have all words of a query, the best matches first. */
  search(q: string, options?: SearchOptions): Promise<PageOf<SearchResult>>
  /** The members of the workspace. */
  users: ListClient<UserObject>
  /** The changes feed, and the undo of changes. */
  changes: ChangesClient<F> & UndoClient
  /** Writes records of any resources. An operation that fails does not stop the others. */
  batch(operations: readonly AnyOperation<F>[], options?: BatchOptions): Promise<BatchResults>
  /** Keeps a copy of the workspace equal to it, from one cursor. */
  mirror<R extends string = BuiltInName>(options: MirrorOptions<F, R>): Promise<void>
  /** The user whose token it is. */
  user(options?: CallOptions): Promise<{ data: UserObject }>
  /** The token itself: its abilities, expiry, rate limits and workspace. */
  token(options?: CallOptions): Promise<{ data: TokenObject }>
}

function clientOf<F extends FieldTypes, R extends string>(connection: Connection, name: R): RecordsClient<F, R> {
  return {
    ...resourceClient<F, R>(connection, name),
    ...mergeClient<F, R>(connection, name),
    ...exportClient<F, R>(connection, name),
    ...importClient(connection, name),
    ...recordFilesClient(connection, name),
    ...recordCommentsClient(connection, name),
    ...followClient(connection, name),
    ...batchClient<F, R>(connection, name),
  }
}

export function createClient<F extends FieldTypes = FieldTypes>(options: ClientOptions): Client<F> {
  const connection = connect(options)
  // Each client is made from the declaration of its own resource.
  const clients = perResource((name) => clientOf(connection, name)) as unknown as ResourceClients<F>
  const changes = changesClient<F>(connection)
  return {
    ...clients,
    // Codes are the same in a path; what is none stays one segment of it.
    resource: (code) => clientOf(connection, encodeURIComponent(code) as typeof code),
    changes: { ...changes, ...undoClient(connection) },
    batch: (operations, options = {}) => runBatch(connection, { path: '/batch', operations, options }),
    mirror: (wanted) => mirror(changes, wanted),
    schema: schemaClient(connection),
    webhooks: webhooksClient<F>(connection),
    customFields: listClient(connection, '/custom-fields'),
    merges: mergesClient(connection),
    files: filesClient(connection),
    comments: commentsClient(connection),
    notifications: notificationsClient(connection),
    jobs: jobsClient(connection),
    trash: listClient(connection, '/trash'),
    search: (q, asked = {}) => documentOf(connection, reading('/search', { ...asked, q })),
    users: listClient(connection, '/users'),
    user: (asked = {}) => documentOf(connection, reading('/user', asked)),
    token: (asked = {}) => documentOf(connection, reading('/token', asked)),
  }
}
