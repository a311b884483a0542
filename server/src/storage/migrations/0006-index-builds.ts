import type { Migration } from './words.ts'

/** Indexes that were taken away for the time of a large load, and how they are built again. */
export const indexBuilds: Migration = {
  name: '0006-index-builds',
  statements: ({ key }) => [`create table index_builds (name ${key} primary key, statement text not null)`],
}
