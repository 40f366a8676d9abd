/** The environment for child processes that must not inherit the settings of this process. */
export const bareEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
