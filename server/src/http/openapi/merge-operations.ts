import { RESTORE_DAYS, SEARCH_RESULTS_MAX } from '@kith/contract/limits'
import { type Described, SLOW, success, written } from './answers.ts'

/** Search, and the lists of merges and of the trash. */
export const mergeOperations = {
  search: {
    operationId: 'search',
    summary: 'Search',
    says: `The records that have all words of \`q\`, in any order: in their name or title, email addresses, domains, links, phone numbers, tags and texts; and the record whose external id is \`q\`. Letter case, accents and punctuation do not matter. A part of a word is enough; one or two letters must begin a word. The best matches first: the name itself, names that begin with the words, names that have them, then others; of equal ones the newest. At most ${SEARCH_RESULTS_MAX}. The filter \`$search\` of lists finds all matches.`,
    parameters: ['SearchQuery', 'InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of results.', 'SearchResultList') },
    refusals: SLOW,
  },
  trash: {
    operationId: 'listTrash',
    summary: 'List the trash',
    says: `The deleted records that can still be restored, latest first. They are kept for ${RESTORE_DAYS} days.`,
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of deleted records.', 'TrashedList') },
  },
  merges: {
    operationId: 'listMerges',
    summary: 'List merges',
    says: 'All merges of the workspace, latest first, also those that were undone.',
    parameters: ['InResource', 'PerPage', 'Page'],
    answers: { 200: success('A page of merges.', 'MergeList') },
  },
  'undo-merge': {
    operationId: 'undoMerge',
    summary: 'Undo a merge',
    says: `Restores the losers with everything that referred to them, and the winner as it was. What was changed since stays. Possible for ${RESTORE_DAYS} days, and while the winner is live. A merge that was undone already stays as it is.`,
    answers: { 200: written('The winner.', 'AnyDocument', ['CompanyDocument']) },
  },
} satisfies Record<string, Described>
