/**
 * Where tests find PostgreSQL: they use the bundled one, so that they do not depend on what is installed, or the one whose
 * binaries are in the folder TEST_POSTGRES_BIN.
 */
export const testBinaries = { folders: [process.env['TEST_POSTGRES_BIN'] ?? []].flat() };
