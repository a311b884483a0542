import { AUDIT_DAYS, MERGE_MAX, RESTORE_DAYS, SEARCH_RESULTS_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import { success, written } from './answers.ts'
import type { Described } from './described.ts'
import { examplesNamed } from './examples.ts'
import { anyOne, manyOf, oneOf } from './names.ts'
import { ref } from './schema.ts'

const KEYED = { 409: 'KeyBusy', 413: 'TooLarge', 503: 'UnavailableOrUnknown' }
const merges = { name: 'Merges', description: 'Records that became one, and how to undo that.' }

/** Search, and the lists of merges and of the trash. */
export const mergeOperations = {
  search: {
    operationId: 'search',
    summary: 'Search',
    says: `The records that have all words of \`q\`, in any order: in their name or title, email addresses, domains, links, phone numbers, tags and texts; and the record whose external id is \`q\`. Letter case, accents and punctuation do not matter. A part of a word is enough; one or two letters must begin a word. The best matches first: the name itself, names that begin with the words, names that have them, then others; of equal ones the newest. At most ${SEARCH_RESULTS_MAX}. The filter \`$search\` of lists finds all matches.`,
    tag: { name: 'Search', description: 'Records of all resources by their words.' },
    parameters: ['SearchQuery', 'InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of results.', ref('SearchResultList'), examplesNamed('SearchResultList')) },
    refusals: { 503: 'UnavailableOrSlow' },
  },
  trash: {
    operationId: 'listTrash',
    summary: 'List the trash',
    says: `The deleted records that can still be restored, latest first. They are kept for ${RESTORE_DAYS} days.`,
    tag: { name: 'Trash', description: 'Deleted records.' },
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of deleted records.', ref('TrashedList'), examplesNamed('TrashedList')) },
  },
  merges: {
    operationId: 'listMerges',
    summary: 'List merges',
    says: 'All merges of the workspace, latest first, also those that were undone.',
    tag: merges,
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of merges.', ref('MergeList'), examplesNamed('MergeList')) },
  },
  'undo-merge': {
    operationId: 'undoMerge',
    summary: 'Undo a merge',
    says: `Restores the losers with everything that referred to them, and the winner as it was. What was changed since stays. Possible for ${RESTORE_DAYS} days, and while the winner is live. A merge that was undone already stays as it is.`,
    tag: merges,
    parameters: ['MergeId', 'IdempotencyKey'],
    answers: { 200: written('The winner.', ref('AnyDocument'), examplesNamed('CompanyDocument')) },
    refusals: { 404: 'MergeNotFound', ...KEYED },
  },
} satisfies Record<string, Described>

/** Merge, restore, history and duplicates of a resource. */
export function mergeOperationOf(
  handler: 'merge' | 'restore' | 'history' | 'duplicates',
  resource: Resource,
): Described {
  const { type, one: word, about: description } = resource
  const one = oneOf(type)
  const common = { tag: { name: manyOf(resource), description }, parameters: ['Id', 'IfMatch', 'IdempotencyKey'] }
  if (handler === 'duplicates') {
    return {
      tag: common.tag,
      operationId: `list${one}Duplicates`,
      summary: `List duplicate ${type}`,
      says: 'What several records have in common. `certain`: a value of a unique field. `likely`: the same name, without letter case, accents, punctuation and legal forms (GmbH, Inc.), or the same e-mail address or host in a field that is not unique.',
      parameters: ['Certainty', 'PerPage', 'Page'],
      answers: { 200: success('A page of duplicates.', ref('DuplicateList'), examplesNamed('DuplicateList')) },
      refusals: { 503: 'UnavailableOrSlow' },
    }
  }
  if (handler === 'history') {
    return {
      tag: common.tag,
      operationId: `read${one}History`,
      summary: `Read the history of ${anyOne(resource)}`,
      says: `Who changed what of the ${word}, latest first, also before other records were merged into it. Kept for ${AUDIT_DAYS} days. Of a deleted ${word} only owners and admins can read it.`,
      parameters: ['Id', 'HistoryField', 'Cursor', 'PerPage'],
      answers: { 200: success('A page of the history.', ref('HistoryList'), examplesNamed('HistoryList')) },
      refusals: { 404: `${one}NotFound` },
    }
  }
  const refusals = { 404: `${one}NotFound`, ...KEYED, 412: 'PreconditionFailed' }
  if (handler === 'merge') {
    return {
      ...common,
      operationId: `merge${manyOf(resource)}`,
      summary: `Merge ${type}`,
      says: `Makes 2 to ${MERGE_MAX} ${type} one. The ${word} in the path is the winner: it keeps its ID and its values. What it lacks is filled from the losers, oldest first, lists are joined, and links and references to the losers move to it. The losers are deleted: their IDs are 404 with \`merged_into\` from then on. Losers that are merged into the winner already are skipped, so the request can be repeated. It can be undone for ${RESTORE_DAYS} days.`,
      body: `${one}Merge`,
      answers: { 200: written('The winner.', ref(`${one}Merged`), examplesNamed(`${one}Merged`)) },
      refusals,
    }
  }
  return {
    ...common,
    operationId: `restore${one}`,
    summary: `Restore ${anyOne(resource)}`,
    says: `Brings a deleted ${word} back, with its relations, for ${RESTORE_DAYS} days after the deletion. If it was merged into another one, the merge is undone. One that is not deleted stays as it is.`,
    answers: {
      200: written(`The ${word}.`, ref(`${one}Document`), examplesNamed(`${one}Document`)),
    },
    refusals,
  }
}
