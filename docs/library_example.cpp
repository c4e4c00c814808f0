/* SPDX-License-Identifier: BSD-3-Clause */
/* A C++ program that uses libsinodag (docs/LIBRARY.md): A x and the transpose of a vector of slices.
 *
 *     c++ library_example.cpp $(pkg-config --cflags --libs sinodag) -o example */
#include <sinodag.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{
void check(SinodagStatus status)
{
    if (!status) return;
    const std::runtime_error error(sinodag_status_text(status));
    sinodag_status_free(status);
    throw error;
}

struct Free {
    void operator()(SinodagOperator *op) const
    {
        sinodag_status_free(sinodag_operator_free(op));
    }
};

SinodagArray array(std::vector<float> &values, int64_t slices, int64_t rows, int64_t columns)
{
    return SinodagArray{values.data(), SINODAG_FLOAT32, SINODAG_MAIN_MEMORY, {slices, rows, columns}, {0, 0, 0}, 1, 0};
}

void run()
{
    const int64_t angles = 60, columns = 48, slices = 3;
    std::vector<double> angle_rad(angles);
    for (int64_t k = 0; k < angles; k++) angle_rad[k] = 3.14159265358979 * double(k) / double(angles);
    const SinodagGeometry geometry = {angles, columns, angle_rad.data(), 23.5, slices, 1, 0, nullptr};
    SinodagOperator *made = nullptr;
    check(sinodag_operator_new(&geometry, nullptr, &made));
    const std::unique_ptr<SinodagOperator, Free> op(made);

    std::vector<float> images(slices * columns * columns, 1), projections(slices * angles * columns);
    const SinodagArray x = array(images, slices, columns, columns), y = array(projections, slices, angles, columns);
    check(sinodag_project(op.get(), &x, &y));
    std::printf("the middle ray is %g voxels long\n", double(projections[columns / 2]));
    check(sinodag_backproject(op.get(), &y, &x));
}
} // namespace

int main()
{
    try {
        check(sinodag_start(nullptr, nullptr, nullptr));
        run();
        check(sinodag_stop());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "example: %s\n", error.what());
        return 1;
    }
    return 0;
}
