import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const today = fileURLToPath(new URL('..', import.meta.url));
const execute = promisify(execFile);

/**
 * Writes the code of the last release into a folder, from the commit in `released.json`. The code runs with the current
 * `node_modules`.
 */
export async function releasedCode(folder: string): Promise<string> {
  const file = await readFile(join(today, 'test/released.json'), 'utf8');
  const { version, commit } = JSON.parse(file) as { version: string; commit: string };
  const archive = join(folder, 'release.tar');
  await execute('git', ['-C', today, 'archive', '--output', archive, commit]).catch(({ stderr }) => {
    const advice = `git fetch origin ${commit}, or git fetch --unshallow in a shallow clone`;
    throw new Error(`Release ${version} is missing in this clone. Get it by: ${advice}.\n${stderr}`);
  });
  await execute('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(today, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
