/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine files: presets, the documented example, and files that are refused. */
#include "machine_file.h"

#include "platform.h"
#include "testing.h"

#include <math.h>

static void preset_is_whole(const char *name)
{
    SinoMachineFile machine;
    assert_true(sino_machine_preset(name, &machine));
    assert_string_equal(machine.name, name);
    assert_true(machine.nodes >= 1 && machine.sockets >= 1 && machine.cores >= 1 && machine.memory_bytes > 1 << 20);
    assert_true(machine.core.gflops > 0 && machine.core.memory_gbps > 0 && machine.core.task_us > 0);
    assert_true(machine.network.gbps > 0 && machine.socket_gbps > 0 && machine.node_gbps > 0 && machine.file_gbps > 0);
    assert_true((machine.device_count > 0) == (machine.device_kind != 0));
    if (machine.device_count == 0) return;
    assert_true(machine.device_bytes > 1 << 20 && machine.device.gflops > machine.core.gflops);
    assert_true(machine.device.memory_gbps > 0 && machine.device.task_us > 0);
    assert_true(machine.host_device.gbps > 0 && machine.host_device.latency_us > 0);
    assert_true(machine.device_device.gbps > 0 && machine.host_gbps >= machine.host_device.gbps);
}

static void presets_are_whole(void **state)
{
    char names[200], *rest = names;
    int count = 0;
    (void)state;
    snprintf(names, sizeof names, "%s", sino_machine_presets());
    for (char *name; (name = strsep(&rest, ",")); count++) preset_is_whole(name + strspn(name, " "));
    assert_int_equal(count, 8);
    SinoMachineFile machine;
    assert_false(sino_machine_preset("cray", &machine));
    assert_true(sino_machine_preset("here", &machine));
    assert_int_equal(machine.cores, sino_platform_core_count());
}

static void write_file(const char *directory, const char *text, char path[TESTING_PATH])
{
    snprintf(path, TESTING_PATH, "%s/machine.yaml", directory);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0 && fclose(out) == 0);
}

static SinoMachineFile read_text(const char *directory, const char *text)
{
    char path[TESTING_PATH];
    SinoMachineFile machine;
    write_file(directory, text, path);
    SinoStatus status = sino_machine_file_open("--machine", path, &machine);
    if (status) fail_msg("%s", sino_status_text(status));
    return machine;
}

static void keys_have_their_members(void **state)
{
    const SinoMachineFile machine = read_text(
        *state, "name: box\nnodes: 2\nsockets: 3\ncores: 4\nmemory: 5 GiB\ncore-gflops: 6\ncore-bandwidth: 7\n"
                "core-overhead: 8\ndevice: opencl\ndevices: 9\ndevice-memory: 10 GiB\ndevice-gflops: 11\n"
                "device-bandwidth: 12\ndevice-overhead: 13\nhost-device-bandwidth: 14\nhost-device-latency: 15\n"
                "device-device-bandwidth: 16\ndevice-device-latency: 17\nhost-bandwidth: 18\nsocket-bandwidth: 19\n"
                "node-bandwidth: 20\nlink-bandwidth: 21\nlink-latency: 22\nfile-bandwidth: 23\n");
    assert_string_equal(machine.name, "box");
    assert_true(machine.nodes == 2 && machine.sockets == 3 && machine.cores == 4 && machine.memory_bytes == 5LL << 30);
    assert_true(machine.core.gflops == 6 && machine.core.memory_gbps == 7 && machine.core.task_us == 8);
    assert_true(machine.device_kind == SINO_DEVICE_OPENCL && machine.device_count == 9);
    assert_true(machine.device_bytes == 10LL << 30 && machine.device.gflops == 11);
    assert_true(machine.device.memory_gbps == 12 && machine.device.task_us == 13);
    assert_true(machine.host_device.gbps == 14 && machine.host_device.latency_us == 15);
    assert_true(machine.device_device.gbps == 16 && machine.device_device.latency_us == 17 && machine.host_gbps == 18);
    assert_true(machine.socket_gbps == 19 && machine.node_gbps == 20 && machine.network.gbps == 21);
    assert_true(machine.network.latency_us == 22 && machine.file_gbps == 23);
}

static void keys_may_be_left_out(void **state)
{
    SinoMachineFile machine = read_text(*state, "cores: 4\nmemory: 1G\ncore-gflops: 6\ncore-bandwidth: 7\n");
    assert_string_equal(machine.name, "machine.yaml");
    assert_true(machine.nodes == 1 && machine.sockets == 1 && machine.core.task_us == 2 && machine.device_kind == 0);
    assert_true(machine.network.gbps == 12.5 && machine.network.latency_us == 10 && machine.file_gbps == 1);
    machine = read_text(*state, "like: h100x8\ndevices: 4\nhost-bandwidth: 220\n");
    assert_true(machine.device_count == 4 && machine.host_gbps == 220 && machine.cores == 104);
    assert_true(machine.device.gflops == 19000 && machine.network.gbps == 360);
    machine = read_text(*state, "like: h100x8\ndevice: none\n");
    assert_true(machine.device_count == 0 && machine.device_kind == 0 && machine.cores == 104);
    machine = read_text(*state, "like: usual\ndevice: cuda\ndevices: 1\ndevice-memory: 1G\ndevice-gflops: 100\n"
                                "device-bandwidth: 10\nhost-device-bandwidth: 1\ndevice-device-bandwidth: 1\n"
                                "host-bandwidth: 1\n");
    assert_true(machine.device.task_us == 10 && machine.host_device.latency_us == 10);
}

static void refuse(const char *directory, const char *text, const char *expected)
{
    char path[TESTING_PATH];
    SinoMachineFile machine = {.cores = -1};
    write_file(directory, text, path);
    SinoStatus status = sino_machine_file_open("--machine", path, &machine);
    assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
    if (!strstr(sino_status_text(status), expected)) fail_msg("%s", sino_status_text(status));
    assert_true(machine.cores == -1);
    sino_status_free(status);
}

static void wrong_files_are_refused(void **state)
{
    static const char whole[] = "cores: 4\nmemory: 1G\ncore-gflops: 6\ncore-bandwidth: 7\n";
    char text[400];
    refuse(*state, "", "machine.yaml has no cores; needed: an integer from 1 to 100000, or like: one of here, usual");
    refuse(*state, "cores: 4\n", "machine.yaml has no memory; needed: a size such as");
    refuse(*state, "like: cray\n", "like is 'cray'; allowed: here, usual, h100x1");
    refuse(*state, "like: here\ngpus: 4\n", "unknown key 'gpus'; allowed: like, name, device, nodes");
    refuse(*state, "like: here\ndevice: rocm\n", "device is 'rocm'; allowed: none, cuda or opencl");
    refuse(*state, "like: here\ndevices: 2\n", "devices is '2' without devices; allowed: with device: cuda or opencl");
    refuse(*state, "like: here\ndevice: cuda\ndevices: 2\n", "has no device-memory");
    refuse(*state, "like: h100x1\ncore-gflops: -3\n",
           "core-gflops is '-3'; allowed: a number from 1e-09 to 1000000000");
    refuse(*state, "like: h100x1\ndevices: 0\n", "devices is '0'; allowed: an integer from 1 to 10000");
    refuse(*state, "like: h100x1\nlink-latency: nan\n", "link-latency is 'nan'");
    refuse(*state, "like: h100x1\nmemory: 3 apples\n", "memory is '3 apples'; allowed: a size");
    refuse(*state, "like: h100x1\nname: ''\n", "name has 0 bytes; allowed: 1 to 63");
    refuse(*state, "like: {a: b}\n", "machine.yaml: ");
    refuse(*state, "- like\n", "machine.yaml: ");
    snprintf(text, sizeof text, "%sname: \"a\\0b\"\n", whole);
    refuse(*state, text, "has a text with the character \\0");
    SinoMachineFile machine;
    SinoStatus status = sino_machine_file_open("--machine", "/nonsense.yaml", &machine);
    assert_true(strstr(sino_status_text(status), "nonsense.yaml: No such file") != NULL);
    sino_status_free(status);
}

/* Each block of docs/MACHINES.md that is indented and has a key `like` or `cores` is a machine. */
static void documented_examples_are_read(void **state)
{
    FILE *in = fopen(SINO_SOURCE_ROOT "/docs/MACHINES.md", "r");
    char line[300], text[3000] = "";
    int examples = 0;
    assert_non_null(in);
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, in) != NULL;
        if (more && strncmp(line, "    ", 4) == 0) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s", line + 4);
            continue;
        }
        if (strstr(text, "like: ") == text || strstr(text, "name: ") == text) {
            assert_true(read_text(*state, text).cores > 0);
            examples++;
        }
        text[0] = '\0';
    }
    fclose(in);
    assert_true(examples >= 3);
}

TESTING_SUBJECT(machine_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_are_whole),
        cmocka_unit_test_setup_teardown(keys_have_their_members, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(keys_may_be_left_out, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(wrong_files_are_refused, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(documented_examples_are_read, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
