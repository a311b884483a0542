/** Every number of the specification and the contract, by name. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export const NAME_MAX = 255
export const IDS_IN_LIST_MAX = 500
export const BODY_MAX_BYTES = 1024 * 1024
export const QUERY_BODY_MAX_BYTES = 256 * 1024
/** The name and the stored custom fields of one record, in UTF-8. */
export const RECORD_MAX_BYTES = 1024 * 1024
/** The JSON of one response, in UTF-8. */
export const ANSWER_MAX_BYTES = 16 * 1024 * 1024

/** Forms of callers without an account: how long a body may take to arrive, and how large one of OAuth may be. */
export const FORM_SECONDS = 10
export const OAUTH_FORM_MAX_BYTES = 16 * 1024
/** Bodies that are arriving in one process: those of callers without an account, and of all others. */
export const UNKNOWN_BODIES_MAX = 500
export const KNOWN_BODIES_MAX = 1000
/** … from one address or IPv6 /64 network, and of one user. */
export const BODIES_PER_CALLER = 100
/** The bytes of bodies that are not answered yet: of all, and of one user or address. The start of each is free. */
export const BODIES_MAX_BYTES = 128 * 1024 * 1024
export const BODIES_PER_CALLER_MAX_BYTES = 32 * 1024 * 1024
export const BODY_FREE_BYTES = 64 * 1024
/** The values in the JSON of a body that is larger than that. An object or a list counts as three. */
export const BODY_VALUES_MAX = 300_000
/** The bytes of answers that are not read yet: of all, and of one user or address. Smaller answers are free. */
export const UNREAD_MAX_BYTES = 256 * 1024 * 1024
export const UNREAD_PER_CALLER_MAX_BYTES = 64 * 1024 * 1024
export const UNREAD_FREE_BYTES = 64 * 1024
/** How long a client may take to read an answer: these seconds, and one more for so many bytes. */
export const READ_SECONDS = 60
export const READ_BYTES_PER_SECOND = 32 * 1024

/** The operations of a batch, its body, and how many of them share a transaction. */
export const BATCH_MAX = 1000
export const BATCH_BODY_MAX_BYTES = 8 * 1024 * 1024
export const BATCH_CHUNK = 100
/** The operations of one call of the MCP tool. */
export const TOOL_BATCH_MAX = 100
/** The changes that one request undoes. */
export const UNDO_MAX = 1000

export const PER_PAGE_DEFAULT = 15
export const PER_PAGE_MAX = 100
export const PAGE_MAX = 1_000_000

/** Each custom field in a sort costs a join. */
export const SORT_KEYS_MAX = 10
export const FILTER_CONDITIONS_MAX = 20
export const FILTER_LOGIC_DEPTH_MAX = 3
export const FILTER_RELATION_DEPTH_MAX = 2
export const FILTER_LIST_MAX = 100
export const FILTER_OPERAND_MAX = 2048

export const INCLUDED_MAX = 1000
export const MATCHES_MAX = 25
export const MATCH_VALUE_MAX = 255
export const SEARCH_QUERY_MAX = 255
export const SEARCH_WORDS_MAX = 20
/** The best matches of a search. */
export const SEARCH_RESULTS_MAX = 100

export const EXTERNAL_ID_MAX = 255
export const EXTERNAL_NAMESPACES_MAX = 20
export const EXTERNAL_IDS_MAX = 100

export const IDEMPOTENCY_KEY_MAX = 255
export const IDEMPOTENCY_HOURS = 24
/** How long a request waits for another one with the same key. */
export const IDEMPOTENCY_WAIT_SECONDS = 10

export const TEXT_MAX_DEFAULT = 255
export const TEXT_MAX_LIMIT = 10_000
export const TEXTAREA_MAX = 65_535
export const RICH_TEXT_MAX = 262_144
export const TAG_MAX = 255
export const EMAIL_MAX = 254
export const LINK_MAX = 2048
export const VALUES_DEFAULT = 5
export const VALUES_MAX = 100

export const FIELD_NAME_MAX = 50
export const FIELDS_PER_RESOURCE_MAX = 100
export const OPTIONS_MAX = 200
export const OPTION_LABEL_MAX = 255
export const PROBABILITY_MAX = 100

export const RATE_WINDOW_SECONDS = 60
export const RATE_WORKSPACE = 600
export const RATE_READS = 300
export const RATE_WRITES = 60
/** Records that the tokens of a workspace write. */
export const RATE_ITEMS = 60_000
/** Requests of one person in the application: boards, live updates and several windows stay far below it. */
export const RATE_SESSION = 6000

/** How long a query may run. */
export const QUERY_SECONDS_DEFAULT = 10

export const TRIAL_DAYS = 14
export const RESTORE_DAYS = 30
export const MERGE_MAX = 25
export const AUDIT_DAYS = 365

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 128
export const SIGN_IN_WINDOW_SECONDS = 15 * 60
export const SIGN_IN_PER_ACCOUNT = 10
export const SIGN_IN_PER_ADDRESS = 100
/** All attempts for one account, from any address, are slowed down beyond this many times its limit. */
export const SIGN_IN_SLOW_FACTOR = 10
export const SIGN_IN_SLOW_SECONDS = 10
export const KNOWN_DEVICE_DAYS = 365
export const SESSION_DAYS = 30
export const SESSION_IDLE_HOURS = 14 * 24
export const PASSKEYS_MAX = 20
export const PASSKEY_NAME_MAX = 100
/** Programs that register themselves as clients of OAuth. */
export const CLIENT_BODY_MAX_BYTES = 8 * 1024
export const CLIENT_NAME_MAX = 100
export const CLIENT_LIST_MAX = 10
export const CLIENT_WINDOW_SECONDS = 3600
export const CLIENTS_PER_ADDRESS = 20
export const CLIENTS_IN_ALL = 200
export const UNUSED_CLIENT_HOURS = 24
/** Documents that describe a client: how long reading one may take, and how long it is not read again. */
export const CLIENT_DOCUMENT_SECONDS = 5
export const CLIENT_DOCUMENT_MINUTES = 60
/** Mails that users cause in an hour: to one address, by anyone, and by one user. */
export const MAIL_WINDOW_SECONDS = 3600
export const MAILS_PER_ADDRESS = 5
export const MAILS_PER_USER = 100
/** Mails about notifications that one user gets in an hour. */
export const NOTICES_PER_USER = 60
export const INVITATION_DAYS = 7
export const INVITATIONS_MAX = 1000
export const PASSWORD_LINK_HOURS = 1
export const PASSWORD_LINK_OF_ADMIN_HOURS = 24
export const EMAIL_LINK_HOURS = 48
export const TOKENS_PER_MEMBER_MAX = 100
export const WORKSPACES_PER_ACCOUNT = 10
export const VIEW_NAME_MAX = 100
export const VIEW_STATE_MAX_BYTES = 32 * 1024
export const VIEWS_PER_RESOURCE_MAX = 200
export const REPORT_NAME_MAX = 100
export const REPORTS_MAX = 200
export const CHARTS_PER_REPORT_MAX = 24
export const CHART_TITLE_MAX = 100
export const REPORT_MAX_BYTES = 64 * 1024
/** The units between two tasks of a series, and the series of a workspace. */
export const REPEAT_MAX = 365
export const SERIES_MAX = 2000

/** What a summary groups by, its groups, and the periods between the first and the last. */
export const SUMMARY_GROUP_BY_MAX = 2
export const SUMMARY_GROUPS_DEFAULT = 50
export const SUMMARY_GROUPS_MAX = 200
export const PERIODS_MAX = 1000

/** How long cursors of a list are valid whose sort keys can change. */
export const CURSOR_HOURS = 24

/** How long entries of the changes feed are kept. */
export const CHANGES_DAYS = 90
export const CHANGES_DAYS_MIN = 7
export const CHANGES_DAYS_MAX = 3650

/** Waiting requests and streams together. */
export const WAITING_PER_TOKEN = 10
export const WAITING_PER_WORKSPACE = 50

/** Exports that run at the same time. */
export const EXPORTS_PER_TOKEN = 2
export const EXPORTS_PER_WORKSPACE = 4

/** A response of the feed. */
export const CHANGES_LIMIT_DEFAULT = 100
export const CHANGES_LIMIT_MAX = 1000
export const CHANGES_MAX_BYTES = 8 * 1024 * 1024
/** How many seconds a request can wait for changes. */
export const WAIT_MAX = 30

/** Imports. */
export const IMPORT_MAX_MB = 256
export const IMPORT_ROWS_MAX = 1_000_000
export const IMPORT_COLUMNS_MAX = 2000
/** How many times its packed size a file may have, beyond the first bytes. */
export const IMPORT_RATIO_MAX = 100
export const IMPORT_RATIO_FREE_BYTES = 4 * 1024 * 1024
/** Files that one process receives at a time. */
export const UPLOADS_PER_WORKSPACE = 2
export const UPLOADS_IN_ALL = 16
/** Rows in one transaction. */
export const IMPORT_CHUNK_ROWS = 200
export const JOBS_OPEN_MAX = 5
export const JOB_NAME_MAX = 255
/** How long jobs and their results are kept, and imports can be undone. */
export const JOB_DAYS = 30
/** How long a file is kept after its job ended. */
export const JOB_FILE_HOURS = 24
/** How long a job waits for its file. */
export const JOB_WAITING_HOURS = 1

/** Files of records. `FILES_WORKSPACE_MB` limits the stored bytes of a workspace; 0 is off. */
export const FILE_MAX_MB = 25
export const FILE_MAX_MB_LIMIT = 5000
export const FILES_WORKSPACE_MB = 0
export const FILES_PER_RECORD_MAX = 500
export const CONTENT_TYPE_MAX = 255
/** How long a content is kept that no file uses. */
export const UNUSED_CONTENT_HOURS = 24
/** How long a process may take to remove a content. */
export const REMOVAL_HOURS = 1

/** How long notifications are kept. */
export const NOTIFICATION_DAYS = 90

/** The body of a comment. */
export const COMMENT_MAX = 10_000

/** Webhooks. */
export const WEBHOOKS_MAX = 50
export const WEBHOOK_URL_MAX = 2048
export const WEBHOOK_TYPES_MAX = 100
export const WEBHOOK_DESCRIPTION_MAX = 255
export const WEBHOOK_FILTER_MAX_BYTES = 64 * 1024
export const IN_FLIGHT_DEFAULT = 5
export const IN_FLIGHT_MAX = 10
/** How long an old secret also signs after a rotation. */
export const KEEP_HOURS_DEFAULT = 24
export const KEEP_HOURS_MAX = 72
/** How long a receiver has to answer. */
export const DELIVERY_SECONDS = 15
/** The body of a delivery. Without the record, if it would be larger. */
export const DELIVERY_MAX_BYTES = 256 * 1024
/** The longest `Retry-After` that is respected. */
export const RETRY_AFTER_MAX_SECONDS = 3600
/** Seconds between the attempts of a delivery. */
export const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** After so many failures in a row, or with so many blocked records, an endpoint is failing. */
export const FAILURES_MAX = 20
export const BLOCKED_MAX = 1000
/** After so many hours of only failures a mail is sent, and after so many days the endpoint is disabled. */
export const FAILING_NOTICE_HOURS = 1
export const FAILING_DAYS = 5
/** The retention of the delivery log: parts of bodies, days, and deliveries of an endpoint. */
export const LOGGED_REQUEST_BYTES = 16 * 1024
export const LOGGED_RESPONSE_BYTES = 4 * 1024
export const DELIVERY_DAYS = 7
export const FAILED_DELIVERY_DAYS = 30
export const DELIVERIES_MAX = 10_000
/** Events of one replay. */
export const REPLAY_MAX = 10_000

/** How large the picture of a user may be, and how many pixels its sides may have. */
export const PICTURE_MAX_BYTES = 64 * 1024
export const PICTURE_MAX_PIXELS = 512

/** Resources that a workspace makes itself, archived ones included. */
export const OWN_RESOURCES_MAX = 50

export const RESOURCE_NAME_MAX = 50
